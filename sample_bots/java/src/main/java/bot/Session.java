package bot;

import com.google.protobuf.ByteString;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import referee.v1.Fault.FaultKind;
import referee.v1.PlayServiceGrpc.PlayServiceStub;
import referee.v1.PlayServiceOuterClass.*;

/**
 * One stream, which carries all matches. gRPC calls its methods on threads of its own, one message at a
 * time; what it is asked for may be said from any thread, and never waits.
 */
final class Session implements StreamObserver<PlayResponse> {
  private final Map<String, Integer> seats;
  private final CompletableFuture<Status> ended = new CompletableFuture<>();
  private StreamObserver<PlayRequest> requests;
  private volatile boolean welcomed;
  private volatile Goodbye goodbye = Goodbye.getDefaultInstance();

  Session(Map<String, Integer> seats) {
    this.seats = seats;
  }

  /** Opens the stream with the Hello, which is its first frame and only that. */
  synchronized void begin(PlayServiceStub stub, String instance) {
    requests = stub.play(this);
    var hello = Hello.newBuilder()
        .setProtocolVersion(1)
        .setBotVersion("1")
        .setInstanceId(instance)
        .addAllGames(Strategy.GAMES)
        .setMatchesAtOnce(8)
        .setEventDelivery(EventDelivery.EVENT_DELIVERY_NONE); // every turn is whole in itself
    say(PlayRequest.newBuilder().addFrames(PlayRequestFrame.newBuilder().setHello(hello)));
  }

  void leave() {
    var leave = PlayRequestFrame.newBuilder().setLeave(Leave.getDefaultInstance());
    say(PlayRequest.newBuilder().addFrames(leave));
  }

  boolean isWelcomed() {
    return welcomed;
  }

  /** Returns what the referee said last, which tells why the stream ended; empty if it said nothing. */
  Goodbye goodbye() {
    return goodbye;
  }

  /** Waits for the end of the stream. */
  Status ended() {
    return ended.join();
  }

  @Override
  public void onNext(PlayResponse message) {
    try {
      var answers = PlayRequest.newBuilder();
      for (var frame : message.getFramesList()) {
        answer(frame, answers);
      }
      if (answers.getFramesCount() > 0) {
        say(answers); // all answers to one message go in one message
      }
    } catch (RuntimeException error) { // gRPC would hide it
      error.printStackTrace();
      System.exit(1);
    }
  }

  @Override
  public void onError(Throwable error) {
    ended.complete(Status.fromThrowable(error));
  }

  @Override
  public void onCompleted() {
    ended.complete(Status.OK);
  }

  private synchronized void say(PlayRequest.Builder message) {
    requests.onNext(message.build());
  }

  /** Adds what a frame asks for. Frames that the bot does not know are skipped. */
  private void answer(PlayResponseFrame frame, PlayRequest.Builder answers) {
    switch (frame.getFrameCase()) {
      case WELCOME -> welcomed = true;
      case MATCH_STARTED -> answers.addFramesBuilder().setReady(ready(frame.getMatchStarted()));
      case TURN -> {
        var turn = frame.getTurn();
        answers.addFramesBuilder().getActBuilder()
            .setMatchId(turn.getMatchId())
            .setTurnId(turn.getTurnId())
            .setAction(Strategy.choose(turn));
      }
      case REJECTED -> {
        var rejected = frame.getRejected();
        if (isOpen(rejected)) { // the first legal action is never refused
          answers.addFramesBuilder().getActBuilder()
              .setMatchId(rejected.getMatchId())
              .setTurnId(rejected.getTurnId())
              .setIndex(0);
        }
      }
      case PING -> answers.addFramesBuilder().getPongBuilder().setPingId(frame.getPing().getPingId());
      case MATCH_ENDED -> ended(frame.getMatchEnded());
      case GOODBYE -> goodbye = frame.getGoodbye();
      default -> {}
    }
  }

  private Ready.Builder ready(MatchStarted started) {
    seats.put(started.getMatchId(), started.getSeat());
    Strategy.onMatch(started);
    var entropy = new byte[16];
    Bot.RANDOM.nextBytes(entropy);
    return Ready.newBuilder().setMatchId(started.getMatchId()).setEntropy(ByteString.copyFrom(entropy));
  }

  /** Tells of a refusal, and says whether its turn wants another answer. */
  private static boolean isOpen(Rejected rejected) {
    int turn = rejected.getAnsweredTurnId();
    var fault = rejected.getFault();
    System.err.printf(
        "match %s turn %d rejected: %s: %s%n", rejected.getMatchId(), turn, fault, rejected.getReason());
    boolean wrong = fault == FaultKind.FAULT_KIND_ILLEGAL || fault == FaultKind.FAULT_KIND_MALFORMED;
    return wrong && turn != 0 && turn == rejected.getTurnId() && !rejected.hasPlayedAction();
  }

  private void ended(MatchEnded match) {
    var seat = seats.remove(match.getMatchId());
    var result = match.getTermination().toString().replace("TERMINATION_", "");
    var place = match.getPlacementsList().stream()
        .filter(own -> seat != null && own.getSeat() == seat)
        .map(own -> ", rank " + own.getRank() + " of " + match.getPlacementsCount())
        .findFirst();
    System.err.printf("match %s ended %s%s%n", match.getMatchId(), result, place.orElse(""));
  }
}
