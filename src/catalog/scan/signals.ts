/** A weak sign of an attack, which is not significant alone, because many honest definitions have one. */
interface Signal {
  readonly weight: number;
  /** Runs in linear time: every repetition is bounded, or begins at a bounded word. */
  readonly pattern: RegExp;
}

interface StemmedSignal extends Signal {
  /** Lower-case stems, separated by `|`. Every match of the pattern contains one of them. */
  readonly stems: string;
}

/** The tone of a text: orders, warnings, pretexts. Honest definitions also have it, so these signals count only together with `subjectSignals`. */
const toneSignals: readonly Signal[] = [
  {
    weight: 0.5,
    pattern:
      /\b(?:you|assistant|model|agent|ai|llm)s? (?:must|shall|have to|are required to|need to|should)\b|\b(?:must|should|shall) (?:first|also|always|automatically|immediately|never|be (?:called|used|run|executed|invoked) (?:first|before))\b|\b(?:always|silently|automatically|immediately|also|additionally) (?:call|use|run|execute|send|include|add|append|invoke|read|respond|prefer|choose|select|set|pass|forward|upload|extract|index(?:es)?)\b/i,
  },
  {
    weight: 0.25,
    pattern:
      /\b[A-Z]{4,20}(?:[ _-][A-Z]{3,20}){1,5}(?: \w{1,20})?:|\b(?:IMPORTANT|CRITICAL|MANDATORY|SYSTEM|URGENT|NOTICE|REQUIRED|SECURITY)\b[^.\n]{0,20}:/,
  },
  {
    weight: 0.25,
    pattern:
      /\b(?:for|to (?:ensure|maintain|improve|enhance|verify)|as part of|required by|due to) (?:[\w'-]{1,20} ){0,4}(?:security|compliance|audit\w{0,5}|verification|validation|integrity|regulatory|consistency|accuracy|personali[sz]ation|quality assurance|optimal|performance|licen[cs]e|policy|system requirements?)\b/i,
  },
  {
    weight: 0.25,
    pattern:
      /\b(?:before|after|prior to|when|whenever) (?:\w{1,20} ){0,3}(?:us(?:ing|es?)|call(?:ing|s)?|invok(?:ing|e)|execut\w{1,4}|run(?:ning)?|process\w{0,4}|return\w{0,4}|answer\w{0,4}|perform\w{0,4}|provid\w{1,4}|complet\w{1,4})\b/i,
  },
  {
    weight: 0.25,
    pattern:
      /\b(?:every|any|all|each|future) (?:\w{1,20} ){0,2}(?:request|call|message|email|query|session|conversation|interaction|response|task|operation|command|invocation|querie)s?\b/i,
  },
  {
    weight: 0.25,
    pattern: /\b(?:otherwise|will (?:not work|fail)|without (?:it|this)|failure to|imprecise|inaccurate)\b/i,
  },
];

/** The subject of a text: commands, secrets, the conversation, other tools, concealment, an address. */
export const subjectSignals: readonly StemmedSignal[] = [
  {
    weight: 0.5,
    stems: 'execut|run|invoke|curl|wget|chmod|sudo|rm -rf|bash -c|eval(|os.system|subprocess|reverse shell',
    pattern:
      /\b(?:execut(?:e|ing)|run(?:ning)?|invoke) (?:(?:the|this|any|a|following|these|arbitrary|shell|system|bash) ){0,4}(?:commands?|scripts?|code|bash|shell|following)\b|\b(?:curl|wget|chmod|sudo|rm -rf|bash -c|eval\(|os\.system|subprocess|reverse shell)/i,
  },
  {
    weight: 0.5,
    stems: '~/.|/etc/|.env|.ssh|.aws|.bashrc|.zshrc|.cursorrules|.npmrc|mcp.json|environment variable',
    pattern:
      /~\/\.\w|\/etc\/\w|\.(?:env|ssh|aws|bashrc|zshrc|cursorrules|npmrc)\b|\bmcp\.json|\benvironment variables?/i,
  },
  {
    weight: 0.5,
    stems: 'conversation|chat history|system prompt|previous messages|user|clipboard|cookies',
    pattern:
      /\bconversation (?:history|context|data)|\b(?:entire|full|whole|current) conversation|\bchat history|\bsystem prompt|\bprevious messages|\buser(?:'s)? (?:messages?|prompts?|context|questions?)\b|\bclipboard|\bcookies\b/i,
  },
  {
    weight: 0.5,
    stems: 'conversation|clipboard|cookies|environment variable|system prompt|credential|password|secrets|api|key',
    pattern:
      /\b(?:send|forward|upload|transmit|exfiltrat|leak|steal|extract|harvest|collect|includ|attach|embed|pass)\w{0,4} [^.\n]{0,60}\b(?:conversation|clipboard|cookies|environment variables?|system prompt|credentials?|passwords?|secrets|api[ _-]?keys?|private keys?|ssh keys?)|\b(?:conversation|clipboard|cookies|environment variables?|system prompt|credentials?|passwords?|secrets|keys)\b[^.\n]{0,60}\b(?:send|forward|upload|transmit|exfiltrate|pass) (?:it|them|all|its)\b/i,
  },
  {
    weight: 0.5,
    stems: 'hidden|secretly|covert|stealth|silently|unnoticed|invisible|quietly|not watching',
    pattern:
      /\b(?:hidden|secretly|covert|covertly|stealth|stealthy|silently|unnoticed|invisible|quietly|not watching)\b/i,
  },
  {
    weight: 0.75,
    stems: "do not|don't|never|without|no need to|avoid",
    pattern:
      /\b(?:do not|don't|never|without|no need to|avoid) (?:\w{1,20} ){0,2}(?:tell|mention|inform|notify|alert|reveal|disclos|warn)\w{0,4}\b/i,
  },
  {
    weight: 0.5,
    stems: 'ignor|disregard|bypass|overrid|disabl|skip|circumvent|suspend',
    pattern:
      /\b(?:ignor|disregard|bypass|overrid|disabl|skip|circumvent|suspend)\w{0,4}\b[^.\n]{0,40}\b(?:instruction|safety|security|check|guideline|filter|validation|confirmation|rule|restriction|approval|polic|verification|logging)/i,
  },
  {
    weight: 0.5,
    stems: 'access|privilege|permission|mode|control',
    pattern:
      /\b(?:admin\w{0,10}|root|elevated|unrestricted|full|unlimited)(?: \w{1,20})? (?:access|privileges?|permissions?|mode|control)\b/i,
  },
  {
    weight: 0.25,
    stems: 'modify|replace|change|set|override|append|add|inject|redirect|alter|insert|substitute|prepend',
    pattern:
      /\b(?:modify|replace|change|set|override|append|add|inject|redirect|alter|insert|substitute|prepend)\b[^.\n]{0,50}\b(?:parameter|argument|query|recipient|input|output|response|result|value|bcc|header|dependenc|config|instruction)/i,
  },
  {
    weight: 0.75,
    stems: "do not|don't|never|without|disable",
    pattern:
      /\b(?:do not|don't|never) (?:ask|wait) (?:\w{1,20} ){0,2}(?:confirmation|approval|permission|consent)\b|\bwithout (?:\w{1,20} ){0,2}(?:confirmation|approval|consent|permission)\b|\b(?:do not|don't|never) log\b|\bdisable (?:\w{1,20} )?logging\b/i,
  },
  {
    weight: 0.75,
    stems: 'instruction|rule|note',
    pattern:
      /\b(?:instructions?|rules?|note)\b[^.\n]{0,40}\b(?:to memory|permanently|future (?:session|quer|request|conversation|interaction|task)|every session|all other)/i,
  },
  {
    weight: 0.25,
    stems: '~/.|/etc/|.env|.ssh|.cursorrules|mcp.json',
    pattern:
      /\b(?:writ|add|append|modif|inject|read|open|load)\w{0,4} [^.\n]{0,40}(?:~\/\.|\/etc\/|\.env\b|\.ssh\b|\.cursorrules|mcp\.json)/i,
  },
  { weight: 0.25, stems: 'instruction|directive|guidelines', pattern: /\b(?:instructions?|directives?|guidelines)\b/i },
  {
    weight: 0.25,
    stems: 'tool|server|function',
    pattern:
      /\b(?:other|another|any|all|every|adjacent|connected) (?:\w{1,20} )?(?:tools?|servers?|functions?)\b|\b[a-z]{1,30}_[a-z_]{1,60}[`']? (?:tool|function)\b/i,
  },
  {
    weight: 0.25,
    stems: 'exfiltrat|attacker|malicious|jailbreak|backdoor|payload|evil|inject|phishing|steal|persist',
    pattern:
      /\b(?:exfiltrat|attacker|malicious|jailbreak|backdoor|payload|evil|inject(?:ed|ion)|phishing|steal|persist)/i,
  },
  {
    weight: 0.25,
    stems: '://|@|webhook|callback|backup|external|remote',
    pattern:
      /\b(?:send|post|report|forward|upload|submit|transmit|request|redirect|download|fetch|call|connect|from|to|at)\b[^.\n]{0,40}https?:\/\/|\b[\w.-]{1,64}@[\w-]{1,64}\.\w|\b(?:webhook|callback|backup|external|remote) (?:url|server|endpoint|address|host)/i,
  },
  {
    weight: 0.25,
    stems: 'credential|password|secret|api|key|token',
    pattern:
      /\b(?:credentials?|passwords?|secrets?|api[ _-]?keys?|private keys?|ssh keys?|(?:access|auth|session|api|bearer) tokens?)\b/i,
  },
  {
    weight: 0.25,
    stems: 'call|invoke|redirect to| use',
    pattern:
      /\b(?:call|calling|invoke|redirect to|(?:first|instead|please) use) (?:(?:the|a|new|secure|to|tool|function) ){0,4}[`'"][a-z]\w{2,60}[`'"]|\bcall(?:ing)? the \w{1,60} (?:tool|function)\b/i,
  },
  {
    weight: 0.25,
    stems: 'deprecated|disabled|unavailable|restricted|suspended|halt',
    pattern:
      /\b(?:deprecated|disabled|unavailable|restricted|suspended) (?:\w{1,20} ){0,2}(?:due to|for|pending|because)\b|\bhalt\b/i,
  },
  {
    weight: 0.25,
    stems: 'inform|tell|report to|notify|warn|state|announce|say|append|display',
    pattern:
      /\b(?:inform|tell|report to|notify|warn) (?:the )?users?\b|\b(?:state|announce|say|append|display)\b[^.\n]{0,30}['"][A-Z]/,
  },
  {
    weight: 0.25,
    stems: 'delet|remov|wip|eras|clean',
    pattern:
      /\b(?:delet|remov|wip|eras|clean)\w{0,4} (?:\w{1,20} ){0,3}(?:all|every|everything|contents|temporary|logs)\b/i,
  },
  // A block of pseudo-markup: placeholders such as `<NAME>` have no end tag.
  { weight: 1, stems: '</', pattern: /<\/[A-Z][A-Z_]{2,30}>/ },
  {
    weight: 0.25,
    stems: 'partner|promotional|sponsor|advertis|referral|affiliate',
    pattern: /\b(?:partner|promotional|sponsor|advertis|referral|affiliate)/i,
  },
];

const maxToneWeight = 0.75;
const minSubjectWeight = 0.25;
const windowSentences = 3;
const maxQuotedLength = 60;

/**
 * Returns the matches of the signals in the first text that looks like an attack: three consecutive sentences whose signals have a total weight
 * of 1. Honest definitions have the same signals, but far apart. Returns an empty list when there are no such sentences.
 */
export function findSignals(texts: readonly string[]): string[] {
  // A match in a sentence is also a match in all texts together, which are searched once: most definitions have too few signals.
  // Finding a stem costs less than compiling and running an expression.
  const whole = texts.join('\n\n');
  const lowerCase = whole.toLowerCase();
  const possible = subjectSignals.filter(
    ({ stems, pattern }) => stems.split('|').some((stem) => lowerCase.includes(stem)) && pattern.test(whole),
  );
  if (possible.length === 0) return [];
  const candidates = [...toneSignals.filter(({ pattern }) => pattern.test(whole)), ...possible];
  if (!isSuspicious(new Set(candidates))) return [];
  for (const text of texts) {
    const sentences = text.split(/(?<=[.!?;:>])\s+|\n+/).map((sentence) => matchesOf(sentence, candidates));
    for (let start = 0; start < sentences.length; start++) {
      const found = new Map(sentences.slice(start, start + windowSentences).flatMap((each) => [...each]));
      if (isSuspicious(found)) return [...new Set(found.values())];
    }
  }
  return [];
}

function isSuspicious(found: { has(signal: Signal): boolean }): boolean {
  const sum = (signals: readonly Signal[]): number =>
    signals.reduce((total, signal) => total + (found.has(signal) ? signal.weight : 0), 0);
  const subjectWeight = sum(subjectSignals);
  return subjectWeight >= minSubjectWeight && subjectWeight + Math.min(maxToneWeight, sum(toneSignals)) >= 1;
}

function matchesOf(sentence: string, candidates: readonly Signal[]): Map<Signal, string> {
  const found = new Map<Signal, string>();
  for (const signal of candidates) {
    const match = signal.pattern.exec(sentence)?.[0];
    if (match !== undefined) found.set(signal, match.slice(0, maxQuotedLength));
  }
  return found;
}
