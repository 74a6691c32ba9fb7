// A bot for the referee. One stream carries all its matches; how it plays stands in strategy.ts.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import type { ProtoGrpcType } from "./generated/play_service.js";
import type { Goodbye__Output as Goodbye } from "./generated/referee/v1/Goodbye.js";
import type { MatchEnded__Output as MatchEnded } from "./generated/referee/v1/MatchEnded.js";
import type { PlayRequestFrame } from "./generated/referee/v1/PlayRequestFrame.js";
import type { PlayResponseFrame__Output as Frame } from "./generated/referee/v1/PlayResponseFrame.js";
import type { Rejected__Output as Rejected } from "./generated/referee/v1/Rejected.js";
import { choose, games, onMatch, prepare } from "./strategy.js";

const FIRST_PAUSE = 500; // milliseconds before a lost stream is opened again; doubled each time
const LAST_PAUSE = 15_000;
// To come back with the same token and the same Hello would end in the same way after these.
const { UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT, FAILED_PRECONDITION } = grpc.status;
const FINAL_CODES = [UNAUTHENTICATED, PERMISSION_DENIED, INVALID_ARGUMENT];
const FINAL_REASONS = /TAKEN_OVER|BAD_HELLO|REVOKED|STREAM_FAULTS/;

// The options have to be those of generate.sh, which made the types.
const definition = loadSync("referee/v1/play_service.proto", {
  includeDirs: [fileURLToPath(new URL("proto", import.meta.url))],
  ...{ longs: String, enums: String, defaults: true, oneofs: true },
});
const { PlayService } = (grpc.loadPackageDefinition(definition) as unknown as ProtoGrpcType).referee.v1;

const address = variable("REFEREE_ADDRESS");
const metadata = new grpc.Metadata();
metadata.set("authorization", `Bearer ${variable("REFEREE_TOKEN")}`);
const instanceId = randomBytes(8).toString("hex"); // the same on every stream: so the referee knows it again
const seats = new Map<string, number>(); // the own seat in each running match
let say: ((frame: PlayRequestFrame) => void) | undefined; // set while a stream stands
let leaving = false;

/** Returns what has to be in the environment. */
function variable(name: string): string {
  const value = process.env[name];
  if (!value) end(2, `${name} is not set; the referee sets it for the bots that it launches`);
  return value;
}

function end(status: number, line?: string): never {
  if (line) console.error(line);
  process.exit(status);
}

/** Returns TLS if REFEREE_CA names a file of root certificates or REFEREE_TLS is set, else plain text. */
function security(): grpc.ChannelCredentials {
  const { REFEREE_CA: ca, REFEREE_TLS: tls } = process.env;
  if (!ca && !tls) return grpc.credentials.createInsecure();
  try {
    return grpc.credentials.createSsl(ca ? readFileSync(ca) : null);
  } catch (error) {
    return end(2, `REFEREE_CA: ${error}`);
  }
}

function channelOptions(): grpc.ChannelOptions {
  const options = { "grpc.use_local_subchannel_pool": 1 }; // or a new client would wait as the last one did
  const seconds = Number(process.env["REFEREE_KEEPALIVE"]);
  if (!(seconds > 0)) return options;
  return { ...options, "grpc.keepalive_time_ms": 1000 * seconds, "grpc.keepalive_permit_without_calls": 1 };
}

/** Plays over one stream until it ends; says whether the referee ever answered on it. */
async function play(): Promise<boolean> {
  const client = new PlayService(address, security(), channelOptions());
  const stream = client.play(metadata);
  const write = (...frames: PlayRequestFrame[]) => void stream.write({ frames });
  let welcomed = false;
  let goodbye: Goodbye | undefined;
  stream.on("data", ({ frames }: { frames: Frame[] }) => {
    for (const frame of frames) {
      if (frame.welcome) [welcomed, say] = [true, write];
      if (frame.goodbye) goodbye = frame.goodbye;
    }
    const answers = frames.flatMap(answer);
    if (answers.length > 0) write(...answers); // all answers to one message go in one message
  });
  stream.on("error", () => {}); // the status follows, and tells it too
  write({
    hello: {
      ...{ protocolVersion: 1, botVersion: "1", instanceId, games },
      ...{ matchesAtOnce: 8, eventDelivery: "EVENT_DELIVERY_NONE" },
    },
  });
  const { code, details } = await new Promise<grpc.StatusObject>((ended) => stream.on("status", ended));
  say = undefined;
  client.close();
  const why = `${grpc.status[code]} ${details}`.trim();
  if (leaving || goodbye?.reason === "GOODBYE_REASON_LEFT") end(0);
  const early = code === FAILED_PRECONDITION; // matches of an earlier version still run, and will end
  if (!early && (FINAL_CODES.includes(code) || FINAL_REASONS.test(goodbye?.reason ?? ""))) {
    end(1, `the referee will not have the bot: ${goodbye?.reason ?? ""} ${goodbye?.note ?? ""} ${why}`);
  }
  console.error(`stream ended: ${goodbye?.reason ?? why}; coming back`);
  return welcomed;
}

/** Returns what a frame asks for: one frame or none. Frames that it does not know are skipped. */
function answer({ matchStarted, turn, rejected, matchEnded, ping }: Frame): PlayRequestFrame[] {
  if (matchStarted) {
    const { matchId, seat } = matchStarted;
    seats.set(matchId, seat);
    onMatch(matchStarted);
    return [{ ready: { matchId, entropy: randomBytes(16) } }];
  }
  if (turn) return [{ act: { matchId: turn.matchId, turnId: turn.turnId, action: choose(turn) } }];
  if (rejected) return refused(rejected);
  if (ping) return [{ pong: { pingId: ping.pingId } }];
  if (matchEnded) ended(matchEnded);
  return [];
}

/** Answers a turn that is still open after a refusal with its first legal action, which is never refused. */
function refused(rejected: Rejected): PlayRequestFrame[] {
  const { matchId, turnId, answeredTurnId, fault, reason, playedAction } = rejected;
  console.error(`match ${matchId} turn ${answeredTurnId} rejected: ${fault}: ${reason}`);
  const open = turnId !== 0 && turnId === answeredTurnId && !playedAction;
  const again = open && (fault === "FAULT_KIND_ILLEGAL" || fault === "FAULT_KIND_MALFORMED");
  return again ? [{ act: { matchId, turnId, index: 0 } }] : [];
}

function ended({ matchId, termination, placements }: MatchEnded): void {
  const own = placements.find(({ seat }) => seat === seats.get(matchId));
  const place = own ? `, rank ${own.rank} of ${placements.length}` : "";
  console.error(`match ${matchId} ended ${String(termination).replace("TERMINATION_", "")}${place}`);
  seats.delete(matchId);
}

/** Asks for no new matches, and plays on; ends at once where nobody hears it, or when it is asked again. */
function leave(): void {
  if (leaving || say === undefined) end(leaving ? 1 : 0);
  leaving = true;
  say({ leave: {} });
}

process.on("SIGTERM", leave);
process.on("SIGINT", leave);
await prepare();
for (let pause = FIRST_PAUSE; ; pause = Math.min(2 * pause, LAST_PAUSE)) {
  if (await play()) pause = FIRST_PAUSE;
  await sleep(pause * (0.5 + Math.random() / 2)); // by chance, so that bots do not come back in step
}
