"""One deal of Guan Pai, written a second time: slowly, in text, by trying every choice of ranks.

It shares nothing with the engine. Actions and events are canonical text; a hand is a list of cards in
text, a combination the sorted list of its ranks as numbers 3..15.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product

ORDER = "3456789TJQKA2"
SUITS = "DCHS"
ABSENT = {"AD", "2D", "2C", "2H"}
PIECES = [rank + suit for rank in ORDER for suit in SUITS if rank + suit not in ABSENT]
TYPES = [
    "single",
    "pair",
    "triple",
    "triple_with_one",
    "triple_with_two",
    "straight",
    "pair_run",
    "airplane",
    "airplane_with_wings",
    "four_with_two",
    "bomb",
]
DEFAULTS: dict[str, object] = {
    "first_play": "any",
    "must_beat": "false",
    "low_straight": "a2345",
    "topping": "penalty",
    "bomb_scope": "all",
    "base": 1,
    "cap": 100,
}
ACE, TWO = 14, 15
Ranks = tuple[int, ...]
Form = tuple[str, object, int]  # the name of the contest, what has to be equal, the rank that decides


def value(card: str) -> int:
    """Returns the rank of a card: 3 for a 3, 14 for an ace, 15 for a 2."""
    return ORDER.index(card[0]) + 3


def in_row(ranks: Sequence[int]) -> bool:
    """Says whether different ranks follow each other and end at the ace at the latest."""
    return max(ranks) <= ACE and sorted(ranks) == list(range(min(ranks), min(ranks) + len(ranks)))


def straight(ranks: Ranks, option: object) -> int:
    """Returns the top of a straight, 0 for none: low aces and twos count as 1 and 2."""
    if len(ranks) < 5 or len(set(ranks)) != len(ranks):
        return 0
    if in_row(ranks):
        return max(ranks)
    for low in ({TWO: 2}, {TWO: 2, ACE: 1}):
        turned = sorted(low.get(rank, rank) for rank in ranks)
        if turned != list(range(turned[0], turned[0] + len(turned))):
            continue
        allowed = option == "natural_low" if turned[0] == 2 else option == "ace_low" or len(ranks) == 5
        if allowed or option == "natural_low":
            return turned[-1]
    return 0


def forms(ranks: Ranks, option: object, *, last: bool) -> Iterator[tuple[str, Form]]:
    """Yields each type that cards can be called, with what it is compared by."""
    many = Counter(ranks)
    size, kinds = len(ranks), sorted(many.values())
    top = max(many, key=lambda rank: (many[rank], rank))
    if len(many) == 1 and size <= 3:
        name = ("single", "pair", "triple")[size - 1]
        yield name, (name, 0, top)
        if size == 3 and last:
            yield "triple_with_two", ("triple_with_two", 0, top)
    if kinds in ([4], [1, 4]) or (many[ACE] == 3 and size in {3, 4}):
        yield "bomb", ("bomb", 0, top)
    if kinds in ([2, 3], [1, 1, 3]):
        yield "triple_with_two", ("triple_with_two", 0, top)
    if kinds == [1, 3] and last and top != ACE:
        yield "triple_with_one", ("triple_with_two", 0, top)
    if kinds in ([2, 4], [1, 1, 4]):
        yield "four_with_two", ("four_with_two", 0, top)
    yield from forms_in_a_row(ranks, option, last=last)


def forms_in_a_row(ranks: Ranks, option: object, *, last: bool) -> Iterator[tuple[str, Form]]:
    """Yields those of them that need ranks in a row."""
    many, size = Counter(ranks), len(ranks)
    kinds = sorted(many.values())
    if straight(ranks, option):
        yield "straight", ("straight", size, straight(ranks, option))
    if len(many) > 1 and in_row(list(many)) and set(kinds) == {2}:
        yield "pair_run", ("pair_run", size, max(ranks))
    if len(many) > 1 and in_row(list(many)) and set(kinds) == {3}:
        yield "airplane", ("airplane", size, max(ranks))
    for triples in (2, 3, 4, 5):
        wings = size - 3 * triples
        if not ((wings == 2 * triples and triples < 4) or (last and 0 <= wings <= 2 * triples - 1)):
            continue
        for start in range(3, ACE - triples + 2):
            if all(many[rank] >= 3 for rank in range(start, start + triples)):
                yield "airplane_with_wings", ("wings", triples, start + triples - 1)


def hopeless(numbers: Sequence[int]) -> bool:
    """Says of many choices quickly that they are nothing: seven cards or more, and no shape for them."""
    if sum(numbers) <= 6:
        return False
    most = max(numbers)
    if most <= 2:
        return most == 2 and 1 in numbers
    return numbers.count(3) + numbers.count(4) < 2


@lru_cache(maxsize=20_000)
def combinations(hand: Ranks, option: object) -> list[tuple[Ranks, list[tuple[str, Form]]]]:
    """Returns every choice of ranks out of a hand that is something, with its types and forms."""
    many = sorted(Counter(hand).items())
    found = []
    for numbers in product(*[range(number + 1) for _, number in many]):
        if hopeless(numbers):
            continue
        ranks = tuple(rank for (rank, _), number in zip(many, numbers, strict=True) for _ in range(number))
        ways = list(forms(ranks, option, last=ranks == hand)) if ranks else []
        if ways:
            found.append((ranks, ways))
    return found


def higher(one: Form, other: Form) -> bool:
    """Says whether the first beats the second."""
    if one[0] == "bomb" != other[0]:
        return True
    return one[:2] == other[:2] and one[2] > other[2]


class Deal:
    """A deal in progress."""

    def __init__(self, order: Sequence[int], options: Mapping[str, object]) -> None:
        """Gives pieces 0..15 of the order to seat 0, and so on."""
        self.options = {**DEFAULTS, **options}
        self.hands = [[PIECES[piece] for piece in order[16 * seat : 16 * seat + 16]] for seat in range(3)]
        self.seat = next(seat for seat in range(3) if "3D" in self.hands[seat])
        self.top: Form | None = None
        self.passes = 0
        self.first = True
        self.bombs = [0, 0, 0]
        self.fault: int | None = None
        self.payer: int | None = None
        self.winner: int | None = None

    def copy(self) -> "Deal":
        """Returns an independent deal."""
        twin = Deal.__new__(Deal)
        twin.__dict__.update(self.__dict__)
        twin.hands = [list(hand) for hand in self.hands]
        twin.bombs = list(self.bombs)
        return twin

    def best(self, ways: list[tuple[str, Form]]) -> Form:
        """Returns the form that counts, out of several."""
        if self.top is None:
            return max(ways, key=lambda way: (way[0] == "bomb", way[1][2], TYPES.index(way[0])))[1]
        contest = self.top[0]
        return max(ways, key=lambda way: (way[1][0] == contest, way[1][2]))[1]

    def next_has_one(self) -> bool:
        """Says whether the duty before the last card is on."""
        return len(self.hands[(self.seat + 1) % 3]) == 1

    def is_fault(self, ranks: Ranks) -> bool:
        """Says whether a play of these ranks (none for a pass) is a topping fault."""
        top = max(map(value, self.hands[self.seat]))
        if self.options["topping"] == "off" or not self.next_has_one():
            return False
        if ranks:
            return len(ranks) == 1 and ranks[0] < top
        return self.top is not None and self.top[0] == "single" and top > self.top[2]

    def entries(self) -> dict[str, tuple[list[str], Form | None]]:
        """Returns every legal text of the seat to act with its cards and what they count as."""
        hand = sorted(self.hands[self.seat], key=PIECES.index)
        found: list[tuple[str, list[str], Form, str]] = []
        for ranks, forms_of in combinations(tuple(map(value, hand)), self.options["low_straight"]):
            ways = [way for way in forms_of if self.top is None or higher(way[1], self.top)]
            if ways:
                left = iter(hand)
                cards = [next(card for card in left if value(card) == rank) for rank in ranks]
                found += self._entry(cards, ranks, ways)
        found.sort(key=lambda one: (len(one[1]), [value(card) for card in one[1]], TYPES.index(one[3])))
        listed: dict[str, tuple[list[str], Form | None]] = {text: (c, form) for text, c, form, _ in found}
        barred = self.options["must_beat"] == "true" and listed
        forbidden = self.options["topping"] == "forbid" and self.is_fault(())
        if self.top is not None and not barred and not forbidden:
            listed["pass"] = ([], None)
        return listed

    def _entry(
        self, cards: list[str], ranks: Ranks, ways: list[tuple[str, Form]]
    ) -> Iterator[tuple[str, list[str], Form, str]]:
        if self.first and self.options["first_play"] == "must_contain_d3" and "3D" not in cards:
            return
        if self.options["topping"] == "forbid" and self.is_fault(ranks):
            return
        text = "play " + " ".join(cards)
        best = {name: self.best([way for way in ways if way[0] == name]) for name, _ in ways}
        ends = len(cards) == len(self.hands[self.seat])
        if ends and len(best) > 1:
            # The deal ends with it: what can follow is no question, what doubles is.
            rest = {name: form for name, form in best.items() if name != "bomb"}
            if self.top is None and "triple" in rest:
                rest = {"triple": rest["triple"]}
            best = {**rest, "bomb": best["bomb"]} if "bomb" in best else {"": self.best(ways)}
        if len(best) == 1:
            yield text, cards, next(iter(best.values())), "single"
        else:
            for name, form in best.items():
                yield f"{text} as {name}", cards, form, name

    def legal(self) -> list[str]:
        """Returns the texts that the seat to act can play, in canonical order."""
        return [] if self.winner is not None else list(self.entries())

    def play(self, text: str) -> list[str]:
        """Plays a legal text and returns what happened."""
        cards, form = self.entries()[text]
        seat, after = self.seat, (self.seat + 1) % 3
        before, self.fault = self.fault, None
        if self.is_fault(tuple(map(value, cards))):
            self.fault = seat
        events = [f"{seat} {text}"]
        self.seat = after
        if form is None:
            self.passes += 1
            if self.passes == 2:
                self.top, self.passes = None, 0
                events.append(f"trick to {after}")
            return events
        self.first = False
        self.passes, self.top = 0, form
        self.bombs[seat] += form[0] == "bomb"
        self.hands[seat] = [card for card in self.hands[seat] if card not in cards]
        if not self.hands[seat]:
            self.winner, self.payer = seat, before
        return events

    def price(self, seat: int) -> int:
        """Returns what a loser pays without bombs."""
        left = len(self.hands[seat])
        for least, cards in ((16, 48), (10, 2 * left), (6, left)):
            if left >= least:
                return cards
        return 5

    def scores(self) -> tuple[int, ...]:
        """Returns what each seat scores."""
        assert self.winner is not None
        counted = [self.bombs[self.winner]] if self.options["bomb_scope"] == "winner" else self.bombs
        pays = {}
        for seat in {0, 1, 2} - {self.winner}:
            third = 3 - self.winner - seat
            pays[seat] = self.price(seat) * 2 ** sum(counted)
            if self.payer == seat:
                pays[seat] += self.price(third)
            elif self.payer == third:
                pays[seat] -= self.price(seat)
        cap, base = self.options["cap"], self.options["base"]
        assert isinstance(cap, int)
        assert isinstance(base, int)
        lost = {seat: base * min(cap, cards) for seat, cards in pays.items()}
        return tuple(-lost[seat] if seat in lost else sum(lost.values()) for seat in range(3))

    def default(self) -> str:
        """Returns what is played for an absent seat."""
        legal = self.legal()
        singles = [text for text in legal if len(text) == len("play 3D")]
        best = max(map(value, self.hands[self.seat]))
        if self.options["topping"] != "off" and self.next_has_one():
            highest = [text for text in singles if value(text[5:]) == best]
            if highest:
                return highest[0]
        return "pass" if "pass" in legal else (singles or legal)[0]


def perft(deal: Deal, depth: int) -> int:
    """Counts the sequences of `depth` actions that begin here; a deal that ends earlier has none."""
    legal = deal.legal()
    if depth == 1:
        return len(legal)
    count = 0
    for text in legal:
        after = deal.copy()
        after.play(text)
        count += perft(after, depth - 1)
    return count
