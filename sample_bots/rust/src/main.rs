//! A bot for the referee. One stream carries all its matches; how it plays stands in strategy.rs.
mod contract {
    tonic::include_proto!("referee.v1"); // which build.rs has generated
}
mod strategy;

use std::collections::HashMap;
use std::error::Error;
use std::iter::successors;
use std::process::exit;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering::SeqCst};
use std::time::Duration;
use std::{env, fs};

use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{Notify, mpsc};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::metadata::AsciiMetadataValue;
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint};
use tonic::{Code, Request, Status};

use contract::play_request_frame::Frame as Say;
use contract::play_response_frame::Frame as Told;
use contract::play_service_client::PlayServiceClient;
use contract::{
    Act, EventDelivery, FaultKind, Goodbye, GoodbyeReason, Hello, Leave, MatchEnded, MatchStarted,
    PlayRequest, PlayRequestFrame, Pong, Ready, Rejected, act::Answer,
};

type Fallible<T> = Result<T, Box<dyn Error>>;

// Before a lost stream is opened again: from the one, doubled each time, to the other.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LAST_PAUSE: Duration = Duration::from_secs(15);

// The bot is away until the referee welcomes it, and leaving once it has been asked to.
const AWAY: u8 = 0;
const OPEN: u8 = 1;
const LEAVING: u8 = 2;

/// What the session shares with the signals.
#[derive(Default)]
struct Presence {
    state: AtomicU8,
    leave: Notify,
}

struct Bot {
    endpoint: Endpoint,
    bearer: AsciiMetadataValue,
    instance: String, // the same on every stream: that is how the referee knows the bot again
    seats: HashMap<String, i32>, // the own seat in each running match
    goodbye: Goodbye, // why the stream ended, where that was told
    presence: Arc<Presence>,
}

#[tokio::main]
async fn main() -> Fallible<()> {
    let presence = Arc::new(Presence::default());
    let signals = [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?];
    tokio::spawn(heed(signals, presence.clone()));
    let mut bot = Bot::new(presence).unwrap_or_else(|error| end(2, &format!("cannot start: {error}")));
    strategy::prepare();
    let mut pause = FIRST_PAUSE;
    loop {
        let status = bot.play().await.err().unwrap_or(Status::ok(""));
        let (code, why) = (status.code(), status.message());
        let (reason, note) = (bot.goodbye.reason(), &bot.goodbye.note);
        let state = bot.presence.state.swap(AWAY, SeqCst);
        if state == LEAVING || reason == GoodbyeReason::Left {
            return Ok(());
        }
        if is_final(reason, code) {
            end(1, &format!("the referee will not have the bot: {reason:?} {note} {code:?} {why}"));
        }
        if state == OPEN {
            pause = FIRST_PAUSE;
        }
        eprintln!("stream ended, coming back: {note} {code:?} {why}");
        let chance = f64::from(getrandom::u32()?) / f64::from(u32::MAX); // bots must not come back in step
        tokio::time::sleep(pause.mul_f64((1.0 + chance) / 2.0)).await;
        pause = LAST_PAUSE.min(2 * pause);
    }
}

fn end(status: i32, line: &str) -> ! {
    eprintln!("{line}");
    exit(status)
}

/// Asks for no new matches and lets the running ones end; where that cannot be said, or is said already, it
/// ends the bot at once.
async fn heed([mut terminate, mut interrupt]: [Signal; 2], presence: Arc<Presence>) {
    loop {
        tokio::select! { _ = terminate.recv() => {} _ = interrupt.recv() => {} }
        match presence.state.compare_exchange(OPEN, LEAVING, SeqCst, SeqCst) {
            Ok(_) => presence.leave.notify_one(),
            Err(state) => exit(i32::from(state == LEAVING)),
        }
    }
}

/// Returns a variable of the environment, unless it is empty.
fn optional(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns what has to be in the environment.
fn variable(name: &str) -> Fallible<String> {
    let missing = || format!("{name} is not set; the referee sets it for the bots that it launches");
    Ok(optional(name).ok_or_else(missing)?)
}

/// Reads where the referee is, and REFEREE_CA, REFEREE_TLS and REFEREE_KEEPALIVE; without them nothing is
/// encrypted, and pings are left to the library.
fn endpoint() -> Fallible<Endpoint> {
    let (address, ca) = (variable("REFEREE_ADDRESS")?, optional("REFEREE_CA"));
    let tls = match &ca {
        Some(file) => Some(ClientTlsConfig::new().ca_certificate(Certificate::from_pem(fs::read(file)?))),
        None => optional("REFEREE_TLS").map(|_| ClientTlsConfig::new().with_native_roots()),
    };
    let scheme = if tls.is_some() { "https" } else { "http" };
    let mut endpoint = Endpoint::from_shared(format!("{scheme}://{address}"))?.connect_timeout(LAST_PAUSE);
    if let Some(tls) = tls {
        endpoint = endpoint.tls_config(tls)?;
    }
    if let Some(seconds) = optional("REFEREE_KEEPALIVE") {
        let pause = Duration::try_from_secs_f64(seconds.parse()?)?;
        endpoint = endpoint.http2_keep_alive_interval(pause).keep_alive_while_idle(true);
    }
    Ok(endpoint)
}

/// Says whether coming back would end in the same way.
fn is_final(reason: GoodbyeReason, code: Code) -> bool {
    use GoodbyeReason::{BadHello, Revoked, StreamFaults, TakenOver};
    match code {
        Code::FailedPrecondition => false, // matches of an earlier version still run, and will end
        Code::Unauthenticated | Code::PermissionDenied | Code::InvalidArgument => true,
        _ => matches!(reason, TakenOver | BadHello | Revoked | StreamFaults),
    }
}

impl Bot {
    fn new(presence: Arc<Presence>) -> Fallible<Self> {
        Ok(Self {
            endpoint: endpoint()?,
            bearer: format!("Bearer {}", variable("REFEREE_TOKEN")?).parse()?,
            instance: format!("{:016x}", getrandom::u64()?),
            seats: HashMap::new(),
            goodbye: Goodbye::default(),
            presence,
        })
    }

    /// Plays over one stream until it ends. The connection is a new one each time.
    async fn play(&mut self) -> Result<(), Status> {
        self.goodbye = Goodbye::default();
        let channel = self.endpoint.connect().await.map_err(|error| Status::unavailable(cause(&error)))?;
        let (outbox, frames) = mpsc::unbounded_channel();
        let send = |says: Vec<Say>| {
            let frames = says.into_iter().map(|frame| PlayRequestFrame { frame: Some(frame) });
            let _ = outbox.send(PlayRequest { frames: frames.collect() }); // message() tells an error too
        };
        send(vec![self.hello()]);
        let mut request = Request::new(UnboundedReceiverStream::new(frames));
        request.metadata_mut().insert("authorization", self.bearer.clone());
        let mut stream = PlayServiceClient::new(channel).play(request).await?.into_inner();
        let presence = self.presence.clone();
        loop {
            tokio::select! {
                message = stream.message() => {
                    let Some(message) = message? else { return Ok(()) };
                    // All answers to one message go in one message; what the bot does not know is skipped.
                    let told = message.frames.into_iter().filter_map(|frame| frame.frame);
                    let answers: Vec<Say> = told.filter_map(|frame| self.answer(frame)).collect();
                    if !answers.is_empty() {
                        send(answers);
                    }
                }
                () = presence.leave.notified() => send(vec![Say::Leave(Leave {})]),
            }
        }
    }

    fn hello(&self) -> Say {
        Say::Hello(Hello {
            protocol_version: 1,
            bot_version: "1".into(),
            instance_id: self.instance.clone(),
            games: strategy::GAMES.map(String::from).into(),
            matches_at_once: 8,
            event_delivery: EventDelivery::None.into(),
            ..Hello::default()
        })
    }

    /// Returns what a frame asks for, if anything.
    fn answer(&mut self, frame: Told) -> Option<Say> {
        match frame {
            Told::Welcome(_) => {
                let _ = self.presence.state.compare_exchange(AWAY, OPEN, SeqCst, SeqCst);
            }
            Told::MatchStarted(started) => return Some(self.ready(started)),
            Told::Turn(turn) => {
                let (match_id, turn_id) = (turn.match_id.clone(), turn.turn_id);
                let answer = Some(Answer::Action(strategy::choose(turn)));
                return Some(Say::Act(Act { match_id, turn_id, answer }));
            }
            Told::Rejected(rejected) => return again(rejected),
            Told::Ping(ping) => return Some(Say::Pong(Pong { ping_id: ping.ping_id })),
            Told::MatchEnded(ended) => self.ended(ended),
            Told::Goodbye(goodbye) => self.goodbye = goodbye,
            _ => {}
        }
        None
    }

    fn ready(&mut self, started: MatchStarted) -> Say {
        strategy::on_match(&started);
        self.seats.insert(started.match_id.clone(), started.seat);
        let mut entropy = vec![0; 16];
        getrandom::fill(&mut entropy).expect("the system has random bytes");
        Say::Ready(Ready { match_id: started.match_id, entropy })
    }

    fn ended(&mut self, ended: MatchEnded) {
        let result = ended.termination().as_str_name().trim_start_matches("TERMINATION_");
        let seat = self.seats.remove(&ended.match_id);
        let own = ended.placements.iter().find(|place| Some(place.seat) == seat);
        let rank = own.map(|own| format!(", rank {} of {}", own.rank, ended.placements.len()));
        eprintln!("match {} ended {result}{}", ended.match_id, rank.unwrap_or_default());
    }
}

/// Answers a turn that is still open after a refusal with its first legal action, which is never refused.
fn again(refused: Rejected) -> Option<Say> {
    let (fault, turn_id) = (refused.fault(), refused.answered_turn_id);
    let Rejected { match_id, reason, .. } = refused;
    eprintln!("match {match_id} turn {turn_id} rejected: {}: {reason}", fault.as_str_name());
    let wrong = matches!(fault, FaultKind::Illegal | FaultKind::Malformed);
    let still_open = turn_id != 0 && turn_id == refused.turn_id && refused.played_action.is_none();
    (wrong && still_open).then_some(Say::Act(Act { match_id, turn_id, answer: Some(Answer::Index(0)) }))
}

/// Returns the innermost cause of an error: those around it say only that there was one.
fn cause(error: &dyn Error) -> String {
    successors(Some(error), |outer| (*outer).source()).last().unwrap_or(error).to_string()
}
