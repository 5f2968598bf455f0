// The words of an explanation as they stand in their texts.

const split = new WeakMap();

// Offsets count characters, as Python does; JavaScript's strings count halves of some.
export function characters(side) {
  if (!split.has(side)) split.set(side, [...side.text]);
  return split.get(side);
}

export const written = (side, word) =>
  characters(side).slice(word.start, word.end).join("") || word.word;

export const largestShare = (words) => words.reduce((most, word) => Math.max(most, word.share), 1e-12);

// The first of so many words in a row that add most.
export function bestPassage(words, length) {
  let sum = words.slice(0, length).reduce((total, word) => total + word.share, 0);
  let [best, start] = [sum, 0];
  for (let next = 1; next + length <= words.length; next += 1) {
    sum += words[next + length - 1].share - words[next - 1].share;
    if (sum > best + 1e-12) [best, start] = [sum, next];
  }
  return start;
}
