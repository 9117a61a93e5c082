const high = 0x01000193;
const low = 0x9e3779b1;

/**
 * Returns the 53-bit hash of a text. With the maximum number of stored hashes, a search through the longest arguments has a false
 * positive once in 500,000 times.
 */
export function rollingHash(text: string): number {
  let [highSum, lowSum] = [0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index) + 1;
    highSum = (Math.imul(highSum, high) + unit) | 0;
    lowSum = (Math.imul(lowSum, low) + unit) | 0;
  }
  return joinHalves(highSum, lowSum);
}

/** Returns the hashes of all substrings of this length, in order. Each takes constant time. */
export function windowHashes(text: string, length: number): Float64Array {
  const hashes = new Float64Array(Math.max(0, text.length - length + 1));
  const [highOut, lowOut] = [power(high, length), power(low, length)];
  let [highSum, lowSum] = [0, 0];
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index) + 1;
    highSum = (Math.imul(highSum, high) + unit) | 0;
    lowSum = (Math.imul(lowSum, low) + unit) | 0;
    if (index >= length) {
      const gone = text.charCodeAt(index - length) + 1;
      highSum = (highSum - Math.imul(gone, highOut)) | 0;
      lowSum = (lowSum - Math.imul(gone, lowOut)) | 0;
    }
    if (index + 1 >= length) hashes[index + 1 - length] = joinHalves(highSum, lowSum);
  }
  return hashes;
}

function joinHalves(highSum: number, lowSum: number): number {
  return mixBits(highSum) * 0x200000 + (mixBits(lowSum) >>> 11);
}

function power(base: number, exponent: number): number {
  let result = 1;
  for (let count = 0; count < exponent; count += 1) result = Math.imul(result, base);
  return result;
}

/** Spreads differences over all bits. */
function mixBits(sum: number): number {
  let bits = sum;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
