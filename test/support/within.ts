/** Longer than anything takes on a busy machine, and shorter than a test may. */
const patienceMs = 90_000;

/** Waits for something to happen, not for ever: then it fails, with what was expected and what was seen until then. */
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
