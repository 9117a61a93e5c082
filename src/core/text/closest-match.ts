const maxWordLength = 128;

/** Returns the candidate closest to a mistyped word, or `undefined` when none is close. */
export function closestMatch(word: string, candidates: Iterable<string>): string | undefined {
  if (word === '' || word.length > maxWordLength) return undefined;
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = distanceBetween(wanted, candidate.toLowerCase(), bestDistance);
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

function distanceBetween(wanted: string, candidate: string, limit: number): number {
  const whole = editsWithin(wanted, candidate, limit);
  // Compares the tool's own name without the server name and prefix.
  const parts = candidate.split('__');
  const own = parts.slice(-wanted.split('__').length);
  return own.length === parts.length ? whole : Math.min(whole, editsWithin(wanted, own.join('__'), limit) + 0.5);
}

function editsWithin(from: string, to: string, limit: number): number {
  return Math.abs(from.length - to.length) < limit ? editDistance(from, to) : limit;
}

/** Returns the Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbors. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (last[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      const swapped = isSwap ? (beforeLast[column - 2] ?? 0) + 1 : Infinity;
      current.push(Math.min(replaced, swapped, (last[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length] ?? 0;
}
