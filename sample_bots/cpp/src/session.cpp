// What the bot says on a stream, apart from how it is sent, which stands in bot.cpp.
#include "session.hpp"

#include <iostream>
#include <random>
#include <string_view>

#include "strategy.hpp"

namespace pb = referee::v1;

// Tells a person something; the referee keeps it for the bots that it launches.
void say(const std::string& line) { std::cerr << line + "\n"; }

std::string random_bytes(int count) {
  static std::random_device device;
  std::string bytes;
  while (count-- > 0) bytes += static_cast<char>(device());
  return bytes;
}

// Returns the first message of a stream.
pb::PlayRequest hello(const std::string& instance) {
  pb::PlayRequest message;
  auto& hello = *message.add_frames()->mutable_hello();
  hello.set_protocol_version(1);
  hello.set_bot_version("1");
  hello.set_instance_id(instance);
  for (const auto* game : games) hello.add_games(game);
  hello.set_matches_at_once(8);
  hello.set_event_delivery(pb::EVENT_DELIVERY_NONE);  // every turn is whole in itself
  return message;
}

pb::PlayRequest leave() {
  pb::PlayRequest message;
  message.add_frames()->mutable_leave();
  return message;
}

namespace {

// Answers a turn that is still open after a refusal with its first legal action, which is never refused.
void again(const pb::Rejected& refused, pb::PlayRequest& answers) {
  const int turn = refused.answered_turn_id();
  say("match " + refused.match_id() + " turn " + std::to_string(turn) +
      " rejected: " + pb::FaultKind_Name(refused.fault()) + ": " + refused.reason());
  const bool wrong = refused.fault() == pb::FAULT_KIND_ILLEGAL || refused.fault() == pb::FAULT_KIND_MALFORMED;
  if (!wrong || turn == 0 || turn != refused.turn_id() || refused.has_played_action()) return;
  auto& act = *answers.add_frames()->mutable_act();
  act.set_match_id(refused.match_id());
  act.set_turn_id(turn);
  act.set_index(0);
}

}  // namespace

// Returns what the frames of a message ask for: all of it goes in one message.
pb::PlayRequest Matches::answers(const pb::PlayResponse& message) {
  pb::PlayRequest answers;
  for (const auto& frame : message.frames()) answer(frame, answers);
  return answers;
}

// Adds what a frame asks for. Frames that the bot does not know are skipped.
void Matches::answer(const pb::PlayResponseFrame& frame, pb::PlayRequest& answers) {
  if (frame.has_match_started()) {
    const auto& started = frame.match_started();
    seats_[started.match_id()] = started.seat();
    on_match(started);
    auto& ready = *answers.add_frames()->mutable_ready();
    ready.set_match_id(started.match_id());
    ready.set_entropy(random_bytes(16));
  } else if (frame.has_turn()) {
    auto& act = *answers.add_frames()->mutable_act();
    act.set_match_id(frame.turn().match_id());
    act.set_turn_id(frame.turn().turn_id());
    *act.mutable_action() = choose(frame.turn());
  } else if (frame.has_rejected()) {
    again(frame.rejected(), answers);
  } else if (frame.has_ping()) {
    answers.add_frames()->mutable_pong()->set_ping_id(frame.ping().ping_id());
  } else if (frame.has_match_ended()) {
    ended(frame.match_ended());
  }
}

// Tells the result of a match and forgets it.
void Matches::ended(const pb::MatchEnded& match) {
  constexpr std::string_view prefix = "TERMINATION_";
  std::string result = pb::Termination_Name(match.termination());
  if (result.starts_with(prefix)) result.erase(0, prefix.size());
  const auto seat = seats_.extract(match.match_id());
  for (const auto& place : match.placements()) {
    if (seat && place.seat() == seat.mapped())
      result += ", rank " + std::to_string(place.rank()) + " of " + std::to_string(match.placements_size());
  }
  say("match " + match.match_id() + " ended " + result);
}
