/** How each game goes, in short, and what the signs of its picture say, in English. */

/** @typedef {{aim: string, play: string[], signs: string[]}} Help */

/** @type {Record<string, Help>} by game */
export default {
  "giganten": {
    aim: "Take the enemy's nest. With four players two and two are a team, and both nests must fall.",
    play: [
      "First everybody lays the tiles that were drawn, unseen by the others; then the pieces are set up on the six rows nearest to the own edge, nest and Blitz on land, the nest on no corner.",
      "A turn moves one piece by one cell, never diagonally, onto an empty cell. It may then challenge an enemy that stands straight beside it.",
      "The ground under the challenged piece counts: on land the green numbers, in swamp the orange ones. The higher number wins, and the loser leaves. Equal numbers: pieces of one kind both stay, others both leave.",
      "A Flug may also fly far, along a line or a diagonal over empty cells, if it lands beside an enemy and challenges it. Stego beats Flug; every other dinosaur draws with it.",
      "Blitz never goes forward nor into swamp; whoever challenges it leaves. Nest and trap never move.",
    ],
    signs: [
      "Green ground with no lines is land, brown ground with waves is swamp.",
      "On a piece: its name, at the lower left in green its strength on land, at the lower right in orange that in swamp, and small at the upper left its number. A star: other rules than numbers count.",
      "Stripes: a back, a piece whose kind you may not know.",
      "A red disc with a number: a trap holds the piece for so many turns. A dashed ring: a secret trap.",
      "A red frame: who has won a fight; a dashed red one: where it may step now.",
    ],
  },
  "giro-galoppo": {
    aim: "Be as far as possible behind the finishing line when the race ends.",
    play: [
      "First the players put five obstacles on the sand, the youngest first.",
      "Each round everybody lays a card face down. All are turned over, and the horses move as many spaces as their cards say, the lowest card first; of equal cards the horse furthest behind.",
      "Ending on another horse sends that one back to the next free space behind it. Ending on an obstacle, a river or the moor: the horse stays where it was.",
      "A card is used once; when all six are played, everybody takes them up again.",
      "The race ends with the round in which a horse crosses the line. Who is behind it is placed by distance.",
    ],
    signs: [
      "The numbers under the track count the spaces; the chequered bar is the finishing line, the box at the start the gate.",
      "Fences are obstacles, blue water is a river, green reeds are the moor: no horse may end there.",
      "A coloured disc is a horse, its number the player's place at the table.",
      "In a player's row: the cards in the hand, and apart from them the one that lies face down. Patterned: a card's back.",
    ],
  },
  "dragon-dance": {
    aim: "Win two rounds: one with the black dragon, then one with the white.",
    play: [
      "Lay a card so that it covers at least one box, and every box that it covers has the same colour as the card there. Cards may be turned upside down, not sideways.",
      "You must lay if you can. If you cannot, you draw one card, and may lay it at once.",
      "Each covered box pays 1 point; a head pays 3 more, an egg 5 more. No egg may lie on an egg.",
      "The last card must be a head that covers two boxes or more, and you need enough points before it is laid. Then each of the others may block it by an egg of the head's colour on its head end.",
      "Whoever goes out unblocked gets 5 points and wins the round; the others may then lay one more card each.",
    ],
    signs: [
      "R, Y, G, B: red, yellow, green, blue. A face with an eye is a head, whose tail end is below; the oval is an egg; all else are scales.",
      "The card with the bright rim was laid last; a violet rim marks the one you have just drawn.",
      "The numbers at the edge name columns and rows; a card is named by the box at its upper left.",
      "The disc beside a name: which dragon that player has, black or white. A patterned card is a back.",
    ],
  },
  "giants-dance": {
    aim: "Have the most points when all giants are back at the Market Square.",
    play: [
      "The giant in last position has the turn: it plays a movement card and goes forward by its number.",
      "Where it stops it may dance, with up to three dance cards and any tokens of its stock; then it draws up to three cards of each sort again.",
      "On a square a dance must beat the highest sum there in its category. On the street it is laid unseen, and all of it counts together at the end.",
      "Ending on a street turns the tokens there up; those of one's own colour go to the stock.",
      "Squares are scored once the last giant has reached or passed them: a point for each category danced, two for the highest sum, one more for both.",
    ],
    signs: [
      "White fields are squares, the others the street; the number at the upper left counts the fields.",
      "The round arrow is rotation, the wave is parade, the cross is a distraction that scores nothing. A tick: the square has been scored.",
      "A gown with a number is a giant, the number the player's place at the table.",
      "Below the trail: what was danced where. Filled: it was the highest when it was laid. Grey tokens lie face down; a number in one counts the challenges there.",
      "In the table: points, field, movement cards and dance cards (hand + pile), tokens.",
    ],
  },
  "dancing-villager": {
    aim: "Be the first to have enough dogs.",
    play: [
      "When everybody is ready the villagers are rolled. Count hands up and hands down over the whole table; the difference takes sticks: meat if more are up, charcoal if more are down.",
      "If a villager lies on another, the difference doubles. Leaning and standing villagers do not count.",
      "The meat runs out: grab a dog. The charcoal runs out: grab the bonfire, for only the first hand there is safe; all others lose a villager.",
      "A hand on the wrong thing, or when nothing runs out, costs a villager.",
      "A standing villager tames a dog for its owner at once. Who has no villagers left loses all dogs and starts anew with villagers.",
    ],
    signs: [
      "Round the fire: dark sticks are charcoal, red ones meat; a faint outline is one that is gone.",
      "Figures: arms up, arms down, lying flat. Before a post: it leans. On a yellow disc: it stands. A bar below: it lies on another.",
      "The dogs beside the fire are those of the village; each panel says how many villagers and dogs its player has.",
    ],
  },
};
