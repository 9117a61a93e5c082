const longestPath = 200;

/** Renders a place in a JSON value: `$.items[2].price`, `$["odd key"]`. A very long path loses its middle. */
export function jsonPath(steps: readonly PropertyKey[]): string {
  let path = '$';
  for (const step of steps) path += rendered(step);
  return path.length <= longestPath ? path : `${path.slice(0, longestPath / 2)}…${path.slice(-longestPath / 2)}`;
}

function rendered(step: PropertyKey): string {
  if (typeof step === 'number') return `[${step}]`;
  const key = String(step);
  return /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
