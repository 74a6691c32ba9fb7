// What the bot says on a stream; see session.cpp.
#pragma once

#include <map>
#include <string>

#include "referee/v1/play_service.pb.h"

void say(const std::string& line);
std::string random_bytes(int count);

referee::v1::PlayRequest hello(const std::string& instance);
referee::v1::PlayRequest leave();

// All running matches, which outlive the stream on which they began.
class Matches {
 public:
  referee::v1::PlayRequest answers(const referee::v1::PlayResponse& message);

 private:
  void answer(const referee::v1::PlayResponseFrame& frame, referee::v1::PlayRequest& answers);
  void ended(const referee::v1::MatchEnded& match);

  std::map<std::string, int> seats_;  // the own seat in each
};
