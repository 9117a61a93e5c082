/** Returns whether a name matches a pattern, in which `*` matches zero or more characters. Runs in linear time. */
export function matchesNamePattern(name: string, pattern: string): boolean {
  return compileNamePattern(pattern)(name);
}

/** Compiles a pattern to a predicate. */
export function compileNamePattern(pattern: string): (name: string) => boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => name === pattern;
  return (name) => {
    if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last)) return false;
    const end = name.length - last.length;
    let position = first.length;
    for (const part of rest) {
      const found = name.indexOf(part, position);
      if (found === -1 || found + part.length > end) return false;
      position = found + part.length;
    }
    return true;
  };
}

/** Returns whether one of a tool's names matches a pattern. */
export function matchesAnyName(names: readonly string[], pattern: string): boolean {
  return names.some(compileNamePattern(pattern));
}
