// How this bot plays; see strategy.cpp.
#pragma once

#include <array>

#include "referee/v1/play_service.pb.h"

inline constexpr std::array games{"block_dominoes", "guan_pai", "mexican_train", "ding_niu"};

void prepare();
void on_match(const referee::v1::MatchStarted& started);
const referee::v1::Action& choose(const referee::v1::Turn& turn);
