/** Longer than any operation on a busy machine, and shorter than the timeout of a test. */
const patienceMs = 90_000;

/** Waits for a promise with a timeout. The error names the expected event and the current state. */
export async function within<Value>(
  happening: Promise<Value>,
  expected: string,
  seen: () => string = () => 'nothing',
  ms = patienceMs,
): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error(`${expected} did not happen within ${ms / 1000} s; so far: ${seen()}`)),
    ms,
  );
  try {
    return await Promise.race([happening, promise]);
  } finally {
    clearTimeout(timer);
  }
}
