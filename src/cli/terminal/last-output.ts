/**
 * Returns the last lines of a server's error output. A program that exits during the handshake is started twice, and output that it then
 * repeats is returned once.
 */
export function lastOutput(stderr: readonly string[], maxLines: number): readonly string[] {
  const half = stderr.length / 2;
  const isRepeated =
    Number.isInteger(half) && stderr.slice(0, half).every((line, index) => line === stderr[half + index]);
  return (isRepeated ? stderr.slice(half) : stderr).slice(-maxLines);
}
