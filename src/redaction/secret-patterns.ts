interface SecretPattern {
  readonly name: string;
  readonly expression: RegExp;
  /** Matches only text with the exact format of the secret; by default the same as `expression`, which may match more. */
  readonly exact: RegExp;
  /** Checks conditions that an expression cannot. */
  readonly isExact?: (match: string) => boolean;
}

function pattern(
  name: string,
  source: string,
  { exact = source, isExact }: { readonly exact?: string; readonly isExact?: (match: string) => boolean } = {},
): SecretPattern {
  const expressions = { expression: new RegExp(source, 'g'), exact: new RegExp(exact, 'g') };
  return { name, ...expressions, ...(isExact === undefined ? {} : { isExact }) };
}

/**
 * Matches a prefix at the start of a word, which may follow an escape (`\n`) or a percent-encoded character (`%20`).
 * The prefix precedes its lookbehind, because the prefix is rarer.
 */
function atStart(prefix: string, wordCharacters = 'A-Za-z0-9'): string {
  return String.raw`${prefix}(?<=(?:^|[^${wordCharacters}]|\\[bfnrt]|%[0-9A-Fa-f]{2})${prefix})`;
}

/** Makes a pattern case-insensitive; Node 22 has no `(?i:…)`. */
function anyCase(source: string): string {
  return source.replaceAll(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

// Lines of base64 between BEGIN and END, in text or escaped as in JSON. No other line can be part of a key.
const lineEnd = String.raw`(?:[ \t]*(?:\r?\n|(?:\\r)?\\n)[ \t]*)`;
const exactPrivateKey =
  String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----${lineEnd}+(?:(?:Proc-Type: 4,ENCRYPTED|DEK-Info: [A-Z0-9-]{1,40},[0-9A-Fa-f]{1,80})${lineEnd}+){0,2}` +
  String.raw`(?:[A-Za-z0-9+\/=]+${lineEnd}+)+-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----`;
const minKeyLine = 40;

/** Returns false for short and uneven lines, because base64 has lines of equal length, and for lines that look like commands. */
function isPrivateKey(match: string): boolean {
  const lines = match.split(/\s*(?:\r?\n|(?:\\r)?\\n)\s*/).slice(1, -1);
  const body = lines.filter((line) => line !== '' && !line.includes(':') && !/^=[A-Za-z0-9+/]{4}$/.test(line));
  const [first = ''] = body;
  const length = first.replace(/=+$/, '').length;
  return (
    length >= minKeyLine &&
    body.every((line, index) => (index < body.length - 1 ? line.length === first.length : line.length <= first.length))
  );
}

/** Returns whether a match begins with a JSON object, as every JSON Web Token does. */
function isWebToken(match: string): boolean {
  try {
    const header: unknown = JSON.parse(Buffer.from(match.slice(0, match.indexOf('.')), 'base64url').toString());
    return typeof header === 'object' && header !== null;
  } catch {
    return false;
  }
}

/*
 * Passwords in free text: `password=…`, `pwd=…`, `PGPASSWORD=…`, `--password …`. Only the value is redacted, and only if a shell would not
 * execute any part of it. References (`$VAR`, `<password>`, `args.password`, `getpass()`), paths and words such as `required` are not
 * redacted. With spaces around `=`, as in code, only quoted text is. After `--password` and a space, as in prose about the option, a
 * lower-case word is not. The patterns also match text that is escaped as in JSON.
 */
const passwordName = anyCase('pass(?:word|wd|phrase)');
const passwordKey = String.raw`(?:${passwordName}[0-9]{0,2}|(?:(?<=^|[^A-Za-z]|\\[bfnrt])pwd)|(?<=_)PWD)`;
const passwordOption = String.raw`--[A-Za-z0-9-]{0,30}${passwordName} {1,4}`;
const passwordCharacters = String.raw`^\x00-\x20\s"'\x60$(){}<>;|&\\,^[\]`;
const noPassword =
  String.raw`(?!\[redacted|\[\u25CF|[.\/~%*=:-]|[A-Za-z_]\w*\.[A-Za-z_]|` +
  String.raw`(?:${anyCase('passw(?:or)?d|pwd|true|false|null|none|nil|undefined|str|string|text|value|required|optional')})(?!\w))`;
const barePassword =
  String.raw`(${passwordKey}=|${passwordOption}(?=[^\s"']*[^a-z\s"']))` +
  String.raw`${noPassword}[${passwordCharacters}]{4,200}(?=[\s"';|&,<>)}\]\\]|$)`;
const quotedPassword =
  String.raw`((?:${passwordKey} {0,2}= {0,2}|${passwordOption})\\{0,3}["'])` +
  String.raw`${noPassword}(?:[${passwordCharacters}]| (?=[${passwordCharacters}])){4,200}(?=\\{0,3}["'])`;

/*
 * All patterns run in linear time. An unbounded run is the last part of its expression, so it either matches and is
 * consumed or fails within its fixed minimum. Where something must follow a run, the runs cannot overlap.
 */
const patterns: readonly SecretPattern[] = [
  pattern(
    'private-key',
    String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----[^]*?(?:-----END [A-Z0-9 ]{0,60}-----|$)`,
    { exact: exactPrivateKey, isExact: isPrivateKey },
  ),
  pattern('anthropic-key', String.raw`${atStart('sk-ant-')}[A-Za-z0-9_-]{16,}`),
  // Without a digit near the beginning, only an unbroken run matches: `sk-learn-contributor-guide` is not a key.
  pattern(
    'openai-key',
    String.raw`${atStart('sk-')}(?:(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{20,}|[A-Za-z0-9]{20,}[A-Za-z0-9_-]*)`,
  ),
  pattern('github-token', String.raw`gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,}`),
  pattern('gitlab-token', String.raw`glpat-[A-Za-z0-9_-]{20,}`),
  pattern('aws-access-key', String.raw`${atStart('A[KS]IA')}[0-9A-Z]{16}(?![0-9A-Za-z])`),
  pattern('slack-token', String.raw`xox[abeoprs]-[A-Za-z0-9-]{10,}`),
  pattern('google-api-key', String.raw`AIza[A-Za-z0-9_-]{35,}`),
  pattern('stripe-key', String.raw`${atStart('[rs]k_(?:live|test)_')}[A-Za-z0-9]{16,}`),
  pattern('npm-token', String.raw`${atStart('npm_')}[A-Za-z0-9]{36,}`),
  pattern('signalbox-token', String.raw`${atStart('sbx_')}[A-Za-z0-9_-]{40,}`),
  // The run before the first dot starts at a word boundary, so each word is tried only once.
  pattern(
    'jwt',
    String.raw`${atStart('eyJ', 'A-Za-z0-9_-')}[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*){0,2}`,
    { isExact: isWebToken },
  ),
  // Neither part may contain a `/`, so that no two attempts scan the same text.
  // The exact form excludes characters that a shell would interpret or that a URL must encode.
  pattern('url-password', String.raw`(:\/\/[^\s\/?#:@"'<>]*:)(?!\[redacted|\[\u25CF)[^\s\/?#"'<>]+(?=@)`, {
    exact: String.raw`(:\/\/[^\s\/?#:@"'<>]*:)[^\s\/?#"'<>()\x60{};|&\\^]+(?=@)`,
  }),
  pattern(
    'bearer-token',
    String.raw`(${atStart(anyCase('bearer'))}(?:\s|\\[nrt]){1,8})(?!(?:${anyCase('authentication|authorization|credentials?|scheme|tokens?')})\b)[A-Za-z0-9._~+\/=-]{8,}`,
    // Not a path.
    { isExact: (match) => /^[A-Za-z0-9]/.test(match) },
  ),
  pattern('password', barePassword),
  pattern('password', quotedPassword),
];

// Begins with rare letters where possible, so that V8 can skip many characters at a time.
const suspectToken =
  /A(?:[KS]IA|Iza)|yJ[A-Za-z0-9_-]{5}|BEGIN |k-[A-Za-z0-9_-]{16}|k_(?:live|test)_|gh[pousr]_|xox[abeoprs]-|glpat-|npm_[A-Za-z0-9]{36}|bx_[A-Za-z0-9_-]{40}|github_pat_|[bB][eE][aA][rR][eE][rR]/;

const passwordPattern = new RegExp(`${barePassword}|${quotedPassword}`);

const passwordLetters = ['ssw', 'SSW', 'ssW', 'ssp', 'SSP', 'ssP', 'pwd', 'PWD'] as const;

/** Returns whether a text may contain a password. Checks for `=` or `--` first: every form has one, and most texts have neither. */
function mayHoldPassword(text: string): boolean {
  if (!text.includes('=') && !text.includes('--')) return false;
  return passwordLetters.some((letters) => text.includes(letters)) && passwordPattern.test(text);
}

const anyPattern = new RegExp(patterns.map(({ expression }) => expression.source).join('|'));
const urlWithPassword = /:\/\/[^\s/?#:@]*:[^\s/?#]+@/;

/** Returns whether a text contains a token of a well-known format. Cheap for most texts. */
export function containsSecretPattern(text: string): boolean {
  return (
    (suspectToken.test(text) && anyPattern.test(text)) ||
    (text.includes('@') && urlWithPassword.test(text)) ||
    mayHoldPassword(text)
  );
}

/** Replaces every token of a well-known format with the result of `placeholder`. */
export function replaceSecretPatterns(text: string, placeholder: (name: string, token: string) => string): string {
  if (!containsSecretPattern(text)) return text;
  let result = text;
  for (const { name, expression } of patterns) {
    result = result.replace(expression, (match, group: unknown) => {
      const prefix = typeof group === 'string' ? group : '';
      return prefix + placeholder(name, match.slice(prefix.length));
    });
  }
  return result;
}

/** The position of a token of a well-known format in a text. */
export interface PatternSpan {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** Returns the tokens that match their format exactly. Spans may overlap. */
export function findSecretPatterns(text: string): readonly PatternSpan[] {
  if (!containsSecretPattern(text)) return [];
  return patterns.flatMap(({ name, exact, isExact }) =>
    Array.from(text.matchAll(exact), (found) => {
      const start = found.index + (found[1]?.length ?? 0);
      return { name, start, end: found.index + found[0].length };
    }).filter(({ start, end }) => isExact?.(text.slice(start, end)) ?? true),
  );
}
