// A bot in JavaScript: plays the first legal action. Put your own idea into `choose`.
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

const games = ["block_dominoes", "guan_pai", "mexican_train", "ding_niu"];
const choose = (turn) => turn.legalActions[0]; // an action; turn.observation holds all you may know

const protos = process.env.REFEREE_PROTO ?? fileURLToPath(new URL("../../proto", import.meta.url));
const options = { includeDirs: [protos], oneofs: true, defaults: true, enums: String };
const definition = loadSync("referee/v1/play_service.proto", options);
const { PlayService } = grpc.loadPackageDefinition(definition).referee.v1;
const { REFEREE_ADDRESS: address, REFEREE_TOKEN: token, REFEREE_TLS: tls, REFEREE_CA: ca } = process.env;
const { createSsl, createInsecure } = grpc.credentials;
const credentials = ca || tls ? createSsl(ca ? readFileSync(ca) : null) : createInsecure();
const metadata = new grpc.Metadata();
metadata.set("authorization", `Bearer ${token}`);

let stream;

function play() {
  stream = new PlayService(address, credentials).play(metadata);
  let over = false;
  const answer = {
    matchStarted: ({ matchId }) => ({ ready: { matchId, entropy: randomBytes(16) } }),
    turn: (turn) => ({ act: { matchId: turn.matchId, turnId: turn.turnId, action: choose(turn) } }),
    ping: ({ pingId }) => ({ pong: { pingId } }),
    rejected: (refusal) => void console.error("rejected:", refusal.reason),
    goodbye: ({ reason }) => void (over = /LEFT|TAKEN_OVER|BAD_HELLO|STREAM_FAULTS|REVOKED/.test(reason)),
  };
  stream.on("data", ({ frames }) => {
    const answers = frames.map((frame) => answer[frame.frame]?.(frame[frame.frame])).filter(Boolean);
    if (answers.length) stream.write({ frames: answers }); // all answers of a message in one message
  });
  stream.on("error", () => {}); // "status" follows, and tells it too
  stream.on("status", ({ code, details }) => {
    if (over) return;
    const final = [grpc.status.UNAUTHENTICATED, grpc.status.PERMISSION_DENIED, grpc.status.INVALID_ARGUMENT];
    console.error(`stream ended: ${grpc.status[code]} ${details}`);
    if (final.includes(code)) process.exit(1);
    setTimeout(play, 500 + 1000 * Math.random());
  });
  stream.write({ frames: [{ hello: { protocolVersion: 1, botVersion: "1", games } }] });
}

process.once("SIGTERM", () => stream.write({ frames: [{ leave: {} }] }));
play();
