package bot;

import io.grpc.ChannelCredentials;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.TlsChannelCredentials;
import io.grpc.stub.MetadataUtils;
import java.io.File;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import referee.v1.PlayServiceGrpc;
import referee.v1.PlayServiceOuterClass.Goodbye;
import referee.v1.PlayServiceOuterClass.GoodbyeReason;
import sun.misc.Signal;

/** A bot for the referee: opens one stream after the other. What is said there stands in {@link Session}. */
public final class Bot {
  static final SecureRandom RANDOM = new SecureRandom();

  private static final long FIRST_PAUSE = 500; // ms before a lost stream is opened again; doubled each time
  private static final long LAST_PAUSE = 15_000;

  // Whoever comes back after one of these is sent away again.
  private static final Set<Status.Code> NO_USE = EnumSet.of(
      Status.Code.UNAUTHENTICATED, Status.Code.PERMISSION_DENIED, Status.Code.INVALID_ARGUMENT);
  private static final Set<GoodbyeReason> FINAL = EnumSet.of(
      GoodbyeReason.GOODBYE_REASON_TAKEN_OVER, GoodbyeReason.GOODBYE_REASON_BAD_HELLO,
      GoodbyeReason.GOODBYE_REASON_REVOKED, GoodbyeReason.GOODBYE_REASON_STREAM_FAULTS);

  private final ManagedChannelBuilder<?> way;
  private final Metadata headers = new Metadata();
  private final String instance; // the same on every stream: that is how the referee knows the bot again
  private final Map<String, Integer> seats = new HashMap<>(); // the own seat in each running match
  private Session session; // while there is a stream
  private boolean leaving;

  private Bot(String address, String token) {
    way = way(address);
    headers.put(Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + token);
    var random = new byte[8];
    RANDOM.nextBytes(random);
    instance = HexFormat.of().formatHex(random);
  }

  public static void main(String[] arguments) throws InterruptedException {
    var bot = new Bot(variable("REFEREE_ADDRESS"), variable("REFEREE_TOKEN"));
    Signal.handle(new Signal("TERM"), signal -> bot.leave());
    Signal.handle(new Signal("INT"), signal -> bot.leave());
    Strategy.prepare();
    for (long pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LAST_PAUSE)) {
      if (bot.play()) {
        pause = FIRST_PAUSE;
      }
      Thread.sleep(ThreadLocalRandom.current().nextLong(pause / 2, pause)); // bots must not come in step
    }
  }

  /** Ends the bot, on any thread. */
  static void end(int status, String line) {
    System.err.println(line);
    System.exit(status);
  }

  /** Returns what has to be in the environment. */
  private static String variable(String name) {
    var value = optional(name);
    if (value.isEmpty()) {
      end(2, name + " is not set; the referee sets it for the bots that it launches");
    }
    return value;
  }

  private static String optional(String name) {
    return System.getenv().getOrDefault(name, "");
  }

  /** Returns the way that the environment asks for; else in plain text and with the library's pings. */
  private static ManagedChannelBuilder<?> way(String address) {
    try {
      var authority = optional("REFEREE_CA");
      ChannelCredentials credentials = InsecureChannelCredentials.create();
      if (!authority.isEmpty()) {
        credentials = TlsChannelCredentials.newBuilder().trustManager(new File(authority)).build();
      } else if (!optional("REFEREE_TLS").isEmpty()) {
        credentials = TlsChannelCredentials.create();
      }
      var way = Grpc.newChannelBuilder(address, credentials);
      var seconds = optional("REFEREE_KEEPALIVE");
      if (!seconds.isEmpty()) {
        long time = Math.round(1000 * Double.parseDouble(seconds));
        way.keepAliveTime(time, TimeUnit.MILLISECONDS).keepAliveWithoutCalls(true);
      }
      return way;
    } catch (IOException | IllegalArgumentException error) {
      end(2, "REFEREE_CA, REFEREE_KEEPALIVE: " + error);
      throw new IllegalStateException(error);
    }
  }

  /**
   * Plays over one stream until it ends; says whether the referee welcomed the bot on it. The channel is a
   * new one each time, as an old one would add pauses of its own.
   */
  private boolean play() {
    var channel = way.build();
    var token = MetadataUtils.newAttachHeadersInterceptor(headers);
    var current = new Session(seats);
    current.begin(PlayServiceGrpc.newStub(channel).withInterceptors(token), instance);
    synchronized (this) {
      session = current;
    }
    var status = current.ended();
    synchronized (this) {
      session = null;
    }
    channel.shutdownNow();
    judge(status, current.goodbye());
    return current.isWelcomed();
  }

  /** Ends the bot where it is done, or where coming back would be no use. */
  private synchronized void judge(Status status, Goodbye goodbye) {
    var reason = goodbye.getReason();
    if (leaving || reason == GoodbyeReason.GOODBYE_REASON_LEFT) {
      System.exit(0);
    }
    var note = goodbye.getNote().isEmpty() ? status.getDescription() : goodbye.getNote();
    var line = "stream ended: " + status.getCode() + ": " + note;
    // Matches of an earlier version of the bot still run: once they have ended, it may come.
    boolean early = status.getCode() == Status.Code.FAILED_PRECONDITION;
    if (!early && (NO_USE.contains(status.getCode()) || FINAL.contains(reason))) {
      end(1, line);
    }
    System.err.println(line + "; coming back");
  }

  /** Asks for no new matches and plays on; ends at once where nobody hears it, or when asked again. */
  private synchronized void leave() {
    if (leaving || session == null || !session.isWelcomed()) {
      System.exit(leaving ? 1 : 0);
    }
    leaving = true;
    session.leave();
  }
}
