/** Makes room for one more in what must not grow without end. */
export function dropOldest(remembered: Map<string, unknown> | Set<string>, most: number): void {
  if (remembered.size < most) return;
  const [oldest = ''] = remembered.keys();
  remembered.delete(oldest);
}
