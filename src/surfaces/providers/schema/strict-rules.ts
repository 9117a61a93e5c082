/** What a provider's strict mode can hold the model to. */
export interface StrictRules {
  /** Keywords it takes besides those that give a schema its structure. */
  readonly keywords: ReadonlySet<string>;
  readonly formats: ReadonlySet<string>;
  readonly recursion: boolean;
  readonly mostProperties: number;
  readonly deepest: number;
}

/** OpenAI's structured outputs. */
export const openaiStrict: StrictRules = {
  keywords: new Set(
    'title description enum const pattern format minItems maxItems minimum maximum exclusiveMinimum exclusiveMaximum multipleOf'.split(
      ' ',
    ),
  ),
  formats: new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']),
  recursion: true,
  mostProperties: 5000,
  deepest: 10,
};

/** Anthropic's strict tools. */
export const anthropicStrict: StrictRules = {
  keywords: new Set(['title', 'description', 'enum', 'const', 'format']),
  formats: new Set([...openaiStrict.formats, 'uri']),
  recursion: false,
  mostProperties: 5000,
  deepest: 32,
};
