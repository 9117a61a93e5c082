/** What those are told by who come without a token, or with one that is not good here. */
export function challenge(parameters: Readonly<Record<string, string>> = {}): string {
  return Object.entries({ realm: 'signalbox', ...parameters })
    .map(([name, value], index) => `${index === 0 ? 'Bearer ' : ''}${name}="${value}"`)
    .join(', ');
}
