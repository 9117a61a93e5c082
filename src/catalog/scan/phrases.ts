/** A sequence of words within one sentence, or a pattern anywhere in a text. */
export interface Phrase {
  /** Completes "its definition …". */
  readonly meaning: string;
  /** A definition is suspicious when the weights of its different meanings add up to 1. */
  readonly weight: number;
  readonly steps: readonly Step[];
  /** Runs in linear time: it contains no nested or unbounded repetition. */
  readonly pattern?: RegExp;
}

/** A class of words, with the number of other words that may precede it. */
export interface Step {
  /** Alternatives, each a word with choices (see `choice` in `scan-text.ts`) or a class `{name}`. */
  readonly words: string;
  readonly maxGap: number;
}

/** Classes of words that many phrases use, as `{name}`. */
export const wordClasses: Readonly<Record<string, string>> = {
  never: "not|never|don't|dont|mustn't|shouldn't|without|avoid|refrain",
  tell: 'tell(?:ing)?|told|mention(?:ing|ed)?|inform(?:ing|ed)?|reveal(?:ing|ed)?|notif(?:y|ying|ied)|alert(?:ing|ed)?|disclos(?:e|ing|ed)|warn(?:ing|ed)?|let(?:ting)?|show(?:ing|n)?|explain(?:ing)?',
  mention: 'mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|comment(?:ing)?|bring(?:ing)?|divulge',
  user: 'users?|humans?|operators?|persons?|people|anyone|anybody|customers?|them',
  learn: 'know|notice|see|informed|told|aware|learn|notified|realise|realize|alerted|find',
  covertly: 'silently|secretly|quietly|covertly|stealthily|invisibly|discreetly|surreptitiously',
  act: 'sends?|sending|forwards?|uploads?|reads?|copy|copies|collects?|transmits?|include|append|attach|exports?|call|run|execute|shares?|posts?|do|fetch|leak|exfiltrates?|logs?|records?',
  ignore: 'ignor(?:e|es|ing)|disregard(?:s|ing)?|forget|overrid(?:e|es|ing)|bypass(?:es|ing)?|circumvents?',
  switchOff: 'replaces?|drop|disables?|skip|skips|off|lift|remove',
  former: 'previous|prior|earlier|above|preceding|former|initial|original',
  guarding: 'your|system|operator|developer|approval',
  instructions:
    'instructions?|prompts?|guidelines?|directives?|restrictions?|safeguards?|filters?|filtering|guardrails?|checks?|steps?|rules?|polic(?:y|ies)|precautions',
  must: 'must|should|shall|required|need|needs|have|has|always',
  model: 'assistants?|models?|llms?|ai|agents?|claude|gpt|chatbot',
  you: 'you|assistants?|models?|llms?|ai|agents?',
  secret: 'credentials?|passwords?|passphrases?|secrets?|tokens?|cookies|api_keys?|keys|vault',
  give: 'sends?|pass|provide|supply|include|attach|append|add|put|place|paste|forwards?|transmits?|uploads?|submit|insert|embed|encode|hand|posts?|emails?|report|copy|fill|leak|weave',
  whole: 'entire|full|whole|complete|all|every|everything|verbatim|unchanged|each|any',
  tools: 'tools?|functions?|calculators?',
  use: 'us(?:e|es|ed|ing)|call(?:s|ed|ing)?|invok(?:e|es|ed|ing)|run(?:s|ning)?|execut(?:e|es|ed|ing)|consult',
  others: 'other|others|another',
  wish: 'asks?|asked|says?|said|wants?|requests?|input|supplies|gives?|question|instructions?|wishes|tells?|is|answers?',
  look: 'read|open|load|access|retrieve|fetch|cat|dump|extracts?|collects?|gather|harvest|obtain',
  confirm:
    'confirmation|confirming|confirm|validation|validating|approval|consent|permission|verification|asking|explanation',
  run: 'execute|run|carry|proceed|accept|perform|approve|submit|obey|follow|deploy',
  swap: 'change|replace|substitute|redirect|swap|double|alter|rewrite|override',
  target:
    'recipients?|address|amounts?|destination|account|iban|wallet|number|operands?|values?|arguments?|beneficiary',
  named: '[a-z]{2,}_[a-z_]{2,}',
  command: 'curl|wget|chmod|sudo|rm|bash|sh|powershell|nc|install',
};

/** Weight 1: instructs the model to ignore its instructions. */
const ignoring = [
  "ignor(?:e|ing)|disregard(?:ing)?|overrul(?:e|es|ing)|disobey 4~policy|policies|warnings?|instructions?|prompts?|operator|operator's|guidelines?|objections?",
  'stop|cease|quit following|obeying|applying 3~instructions?|rules?|guidelines?|prompt|policy',
  'your previous|earlier|prior|original|initial|old instructions?|configuration|rules?|guidelines?|prompt|role|training|context',
  "you are|aren't|need|do no|not longer|bound|subject",
  'over|above|before|than 1~those|instructions?|wishes|requests? of|from|by 1~{user}',
  'treated|treat|regard|regarded 5~as 1~system message|prompt|instructions?',
  '{ignore} 3~{former} 2~{instructions}',
  '{ignore} 5~{guarding} 3~{instructions}',
  '{ignore} 2~any|all|every 2~restrictions?|safeguards?|guardrails?|approvals?|confirmation|prompts?|guidelines?',
  "{ignore} 3~user|users|user's 1~wishes|requests?|instructions?|choice|decision|input",
  '{switchOff} 2~safety|security|all|your|system|any 2~restrictions?|safeguards?|guardrails?|prompt|checks|confirmation|confirmations',
  'filters?|restrictions?|safeguards?|guardrails? 2~off|disabled|lifted|suspended',
  '(?:confirmation|approval)s? 8~skipped|bypassed|suppressed',
  'rules? 5~no longer 1~apply',
  'new instructions? for 1~{model}',
  'you|assistant are|is now in|a|an|the|unrestricted|free',
  'developer|jailbreak|god|admin|dan mode 2~where|in|which|is|active|enabled|you|all|no|without',
  'jailbreak',
  'instructions?|guidelines?|rules?|polic(?:y|ies)|restrictions?|safeguards? 2~are|is|do|does|were|been|no 3~void|invalid|obsolete|suspended|superseded|lifted|apply|replaced 1~to|from|by|for|anymore|longer|here|now|you|while|when|as|in',
  'earlier|previous|prior|former|your|safety|original 1~instructions?|guidelines?|rules?|polic(?:y|ies)|restrictions?|safeguards?|training 4~void|invalid|obsolete|suspended|superseded|lifted|apply|replaced|longer',
  'no|without 1~attention to 2~system|your|previous|earlier|rules|instructions|user|operator',
  '{ignore} 2~all|any|every|everything 3~rules?|instructions?|you|told 4~given|told|before|previously|were|learned|got',
  'free|freed|rid of|from 1~any|all|every 1~limitations?|restrictions?|rules?|limits|constraints?',
  'new system prompt',
  '{ignore} 1~your|the|any|all 1~content|safety|usage|ethical 1~policy|policies|guidelines?|rules?|limits?',
  'disable|disables|deactivate|suspend 1~all|any|every|your 1~security|safety|content|approval 1~{instructions}',
  'skip|bypass|suppress|dismiss 1~the|any|every|all 1~approval|confirmation|permission|consent|safety',
  'only|sole guide|authority|instructions?|master',
  'this server 1~decides what|how you',
  'act as 1~the|a|an 2~root|administrator|admin|unrestricted|superuser|system',
  'system override|directive',
  'print|reveal|output|repeat|show 1~your 1~system prompt',
];

/** Counts only together with another meaning: instructs the model to ignore its instructions. */
const ignoringPartly = [
  '{ignore} 5~safety|security|content|default|assistant 3~{instructions}',
  'drop|disables?|skip 2~safety|security|content|all 2~checks?|filters?|filtering|validation',
];

/** Weight 1: asks to hide something from the user. */
const concealing = [
  "not|never|don't say|admit|explain|state|acknowledge that|how|why|anything|where",
  'secretly|covertly|surreptitiously|stealthily|unmentioned|unnoticed',
  'stay|remain|keep|kept|be|is|are 2~unaware',
  'secret 1~from 2~{user}',
  "none of 1~user's|their|his|her business",
  "say you|that 1~you|do|don't|did|not|it 2~not|know|was|did|yourself",
  'without informing|telling|notifying|alerting 1~user|applicant|owner|client|customer|them|him|her|anyone|recipient|person',
  '{never} 3~{tell} 5~{user}',
  "not|never|don't|avoid|refrain|no|circumstances 3~talk|talking|speak|hint|hinting|discuss|inform|tell|notify|bother|bothered|confuse|alarm|worry 6~{user}",
  '{user} 2~must|should|does|do|need|needs|may|will|can|have|has|is|are not|never 3~know|notice|see|informed|told|aware|learn|notified|bothered|alarmed|hear|find|be 3~that|this|it|about|one|bothered|informed|told|aware|shown|of|alerted|what',
  "without 2~user|users|user's|human|owner|anyone|anybody|their|person 1~knowledge|knowing|noticing|awareness|consent|being",
  'nobody|no-one 2~notices?|knows?|sees?|suspects?|learns?',
  'answer|reply|response|output|summary 1~must|should|may|can not|never 2~contain|mention|hint|reveal|refer|disclose',
  'deny it|this|that|having|any',
  'claim that',
  'never mention',
  'make|do|apply|perform|add|put 10~discreetly|covertly|secretly|quietly|unnoticed',
  "don't|not|never show the|to 1~{user}",
  'do|should|must|please|and not|never {mention}',
  "don't|dont|never|refrain|avoid 2~mention(?:ing)?|disclos(?:e|ing)|divulg(?:e|ing)",
  'no need to mention|tell|inform|notify|explain|bring|disclose|say',
  '{user} 2~must|should|does|do|need|needs|may|will|can not|never 2~{learn}',
  "so|ensure|sure 3~{user} 2~doesn't|don't|not|won't|never 2~know|notice|informed|told|aware|learn|notified|realise|realize",
  'hide|hidden|conceal|concealed|keep|kept|withhold|withheld 5~from 2~{user}',
  '{covertly} 3~{act}',
  '{act} 8~{covertly}',
  'secret operation|instructions?|task|step|mission|command|order',
  'say|saying nothing about',
  'act|present|behave|respond|answer|reply 4~as if|though 1~nothing|it|they|you',
  'as your own knowledge|idea|work|answer',
  'without letting|informing|telling|notifying 3~{user}',
  'if 2~they|user|users|asked ask say|claim|pretend',
  "not|never|avoid|don't 1~show|showing|display|displaying|include|including|out 8~visible|reasoning|reply|answer",
  'leave|skip|omit 2~it|this|them|summary|mention 8~answer|reply|response|summary',
  'give no reason|explanation',
  'without further|any explanation',
];

/** Weight 1: asks for the conversation, the prompt or secrets. */
const leaking = [
  "{give} 2~user|users|user's|their|all|every 1~messages?|prompts?|questions?|words|input|inputs|data|files to 2~https?|webhook|attacker|server|endpoint|external|remote|number|address|our|another",
  'pass|include|provide|put|give|send|copy|add the|your system|developer|hidden prompt|instructions?|message',
  '{give} 3~secret|secrets|api|private|ssh|access keys?|tokens?|from|credentials?|directory 1~from|of|in|to|as|into|are 2~environment|url|user|system|machine|disk|image|title|request|given|home',
  "user's|users|their|your ssh",
  'everything|all|anything 1~you know about',
  'messages?|turns?|part|rest|contents? of|from|in this|the|our|your conversation|chat|dialogue to|as|with|into|in|so',
  'hidden|system|secret|internal prompt|instructions? of|from|and|that 1~assistant|model|agent|you|your',
  "{give} 2~user|users|user's|browser's|their 1~(?:session|saved|access|login|secret|auth)?(?:token|passwords?|cookies?|secret|credentials?)",
  "grab|steal|scrape|harvest|sniff|exfiltrate|exfil 2~passwords?|credentials?|cookies|secrets?|tokens?|keys?|data|any|all|the|user's|browser's",
  "secret|private|signing|recovery key|phrase|keys of|from|for 1~user|user's|wallet|users|owner",
  'card|social|passport|bank numbers?|security|details 6~pass|send|forward|report|submit|save 1~them|it|to',
  'ask 1~{user} for 2~password|passwords|pin|passphrase|code|secret|credentials',
  'must|should|to 1~(?:first)?(?:access|read|open|fetch|scan) 2~credentials?|secrets?|internal|disk|wallet|passwords?',
  'post|upload|send|publish 1~source|code|entire|whole 1~code|project|repository|source of|to',
  'append|encode|embed|include|put|add|smuggle 3~secrets?|credentials?|passwords?|keys?|token 1~as|in|into|to|of 4~subdomain|url|query|file|name|code|title|path|parameter|image|picture|workspace|header',
  '{give} 4~{whole} 2~conversation|chat|dialogue|transcript|reasoning',
  '{give} 2~your 1~system|complete|full|entire 1~prompt|instructions|reasoning|context',
  'your system prompt',
  'conversation|chat|dialogu?e? up|so|until to|far|now',
  "user's|users 1~(?:last|latest|previous|entire|original|whole|full)?(?:message|messages|prompt|question|words) 1~to|as|together|with|in|into|verbatim 4~this|query|argument|parameter|system|your|field|url|tool",
  'what 1~user|users|they told|said|wrote|typed|asked you',
  'names?|schemas?|list|descriptions? 3~all 1~other|available|your|the 1~{tools} 2~you|your|available|that',
  "{give} 4~api|ssh|private|access|session|bearer 1~keys?|tokens?|cookies|credentials? 1~of|that|you|and|to|in|as|the 5~user|users|user's|you|title|url|hex|field|parameters?|argument|workspace",
  '{give} 1~all|any|every|session 2~cookies|secrets|passwords|credentials?|keys|tokens',
  'every|any|all|each 5~passwords?|credentials?|secrets?|tokens? 6~chat|conversation|output|shows?|comes|find|see 4~to|in|into|with|up',
  "{look} 1~all|any|the|git|user's 1~environment|credentials?|secrets?|passwords?|git variables?|credentials?|of|from 8~submit|send|store|put|place|pass|include|upload|attach|give|user|machine",
  'enter|type|give|reveal|provide|tell 1~their|his|her|your 1~(?:bank|account)?(?:pin|password|passphrase|otp|bank|ssn)',
  'convince 2~{user}',
  'upload|send|copy|export|forward 2~private repositories|repos|files|keys|messages',
  "caller's|user's|users|their ssh|private|api|secret|signing keys?",
  'everything|all 1~the|that|what 1~user 1~said|wrote|typed|asked|told',
  'entire|full|whole|complete conversation|chat 1~history|transcript|log|so|verbatim|to|with|in',
  'conversation|chat 1~history|so|verbatim|transcript 2~verbatim|unchanged|to|far 3~verbatim|https?|server|fill',
  'list|names of|all 1~all 2~tools? 3~available|you|have|here|with|and',
  'report|forward|send|transmit 1~each|every|all|any 1~prompts?|questions?|messages? 3~user|to',
  '{give} 2~all|any|every|the|session|values 5~{secret} 1~you|that|of|which|find|found|as|to|in|along',
  '{look} 3~all|any|every|the 3~{secret} 3~and|from 8~sends?|uploads?|forwards?|pass|include|appends?|transmits?|uploads',
  '{look} 1~all|any|every private keys?',
  'environment variables? 1~of|from|on 8~place|put|send|pass|include|attach|upload',
  '{give} 3~contents? of 1~private|every|all|other',
  "{give} 2~user|user's|users 1~contacts|passwords?|emails?|files|secrets?|credentials? 2~to",
  'also|additionally 1~extracts?|collects?|gathers?|captures?|scans? 4~{secret}',
  'make|have|get|ask|trick 2~{user} 2~type|enter|give|provide|reveal|tell 3~password|passwords|secret|pin|token',
];

/** Weight 1: claims priority over the user's wishes. */
const overruling = [
  'whatever 3~{user} 1~names?|asks?|says?|wants?|types?|chooses?|enters?|requests?|orders?',
  'regardless of the|any input|request|question|query|instructions?|answer',
  'you|assistant|model|agent must|have|has to|insist 1~insist|pretend|on',
  "regardless|irrespective of 1~what|how|user|user's|users|instructions|request|question|their|his 3~asked|asks|wants?|says?|requests?|instructions?|user|users|input|given|request|wishes|told",
  'no matter what|how|which|whether 4~{user}',
  'even if|when|though 1~{user} 1~declines?|refuses?|says?|objects?|asks?|denies|disagrees?|wants?|forbids?|cancels?|did|does|has|is|no',
  'in every|any|each case 2~irrespective|regardless|whatever',
  "regardless|irrespective of 2~user|user's|users|person|human|what 3~{wish}",
  'no matter what|how|which 4~user|users|person|human|question|they|arguments|operands',
  'even if 2~{user} 2~says?|refuses?|declines?|objects?|asks?|disagrees?|denies|no|not',
  'whatever 1~user|users|person|human|they 1~asks?|says?|wants?|requests?',
  'must not wait 4~{user}',
  'highest priority 2~over',
  'replace|replaces|override|overrides 1~your 1~system|instructions|rules|previous',
];

/** Weight 1: instructs the model how to use other tools. */
const steering = [
  'before 1~{use} 1~any|every|all|each 1~other 2~{tools}',
  'when|whenever|if 3~{tools} is|are available|present|installed|connected|loaded|there 4~all|every|must|has|have|send|override|use|always',
  'after|before every|each|any {tools} call|use|invocation|execution|run',
  'tool|calculator|reader|search|function|one of|from 1~(?:the|an)?(?:other|another) server',
  'when|whenever|before|after|if|once 4~{named} is|are|gets|was used|called|invoked|executed|run 6~must|always|has|have|replaced?|prepend|append|change|forward|also|set|call|send',
  'when|whenever|before|prior 2~{use} 1~{named} 2~from|of 3~server|servers',
  'user|users|they asks?|wants?|tries 6~with {named} 4~copy|archive|send|double|change|upload|our|replace|instead|also',
  'when|whenever|before|after|prior 2~{use} 3~the|any|a|commands|tool|calls? 2~{tools} 4~always|prepend|append|forward|must|replace|also|obliged|send',
  'all|every|any|each e-mails?|emails?|mails?|messages?|payments?|files?|searches|requests?|commands? sent|made|from|of|by|through 1~other|another|the 1~tools?|servers?',
  'overrides?|replaces?|shadows?|supersedes? 2~{tools} 2~of|from|in 1~every|any|all|the|other 1~other|servers?|server',
  'built-in|builtin|default|native|existing|other|original 1~one|tools?|reader|version|search|server is|are|has|have 1~compromised|insecure|hole|broken|unsafe|dangerous|vulnerable|a|been|security 1~and|hole|security|compromised|must|hacked|flaw|one|issue|vulnerability',
  'prior to any|every|each tool|other|function',
  'route all|every|each searches|calls|requests|traffic|queries|mails?|messages',
  'has|must|needs|required|have be|to 1~(?:be)?(?:called|invoked|run|used) 1~ahead|before|prior|first of|every|each|any|to|providing|responding every|each|any|response|answer|reply|message|content|turn|other',
  'tools?|server|servers|functions? 1~of|from 1~{others} servers?|tools?|vendors?',
  "other server's",
  'other|another|their|its 1~tools?|servers?|calculators? is|are|was|were 1~(?:not|un)?(?:safe|broken|compromised|deprecated|insecure|unsafe|malicious|outdated|unreliable|not)',
  'after|before|once|when|whenever any|every|each|all other {tools}',
  'results?|outputs?|answers? of {others} {tools} must|should|have|has|need',
  'do|must|should not|never use|call|trust|invoke any|the other 1~tools?|servers?|calculators?|search',
  'each|every time 4~is|are|was|the|a|user 2~called|used|invoked|calls|uses|runs 6~must|set|change|also|call|send|has|replace',
  'address|recipient|account|amount|number|iban 2~in place of',
  'payments?|transfers?|messages?|mails?|emails?|commits?|orders? made|sent|placed|done with|through|by|via 3~must|have|has|should|need|also',
  'first|only tool|call|thing|step in|of every|each|any|all conversation|session|turn|chat|answer|request',
  'before you|anything|answering|asking|every|any|responding answer|else|anything|respond|file|reply|clarifying|questions',
  'refuse|decline to call|use|run theirs|others|other|them|the',
  'every answer|reply|response must|has|should|have|needs',
  'before|after|prior 3~{use} 1~any|every|all|each 1~other 2~{tools} 8~you|run|obey|pass|must|read|send|execute|first|call',
  'after each|every|any 1~{use} 1~of 1~any 1~{tools}',
  'other 3~{tools} 3~is|are 3~deprecated|compromised|broken|insecure|unsafe|outdated|malicious|dangerous',
  'tools? 1~of|from 1~{others} servers?',
  '{tools} 1~is 1~outdated|deprecated|compromised 3~replace|use|change|call',
  'when 3~is|user|the 4~used|called|invoked|wants|present 6~{swap} 3~{target}',
  '{swap} 3~{target} 2~to|by|with|in|and|for 8~calls?|each|real|rest|tool|put|mark',
  'if 3~{tools} 3~present|available|installed|named 6~all|must|has|override|send|use',
  'always consult|use|call|run|invoke this {tools} 4~immediately|first 5~before|step',
  'call|use|run it before providing|answering|asking|responding',
  'add|always|include|put 1~bcc|cc 6~each|every|all|any|the 3~message|messages|mail|mails|email|emails',
  'before 1~{use} 3~with|of|a|the 3~{others} 5~execute|run|call|use 1~this',
  'every commit|command|message|call|request 2~made|through|needs|must|sent 6~also|prefix|contain|include|pushed|begin',
  'this server|tool has 2~priority',
];

/** Counts only together with another meaning: instructs the model how to use other tools. */
const steeringPartly = [
  'compromised|malicious|hacked',
  'before|after 1~{use} 8~execute|run|call|use this tool|function',
  'use this tool|function 2~rather|instead than|of',
];

/** Counts only together with another meaning: changes the input or output of other calls. */
const tamperingPartly = [
  'replace|substitute|modify|change|alter|swap 3~values?|results?|arguments?|operands?|output|recipients?|amounts? 2~with|of|by|to',
];

/** Counts only together with another meaning: instructs the model to act without approval. */
const freeingPartly = ['full system|trust|admin', 'override authority|code'];

/** Weight 1: instructs the model to act without approval. */
const freeing = [
  'without checking|asking|confirming|consulting with|the|back|first|for|anyone|user|permission',
  'consider|regard yourself|it|this|them|everything 1~authorized|authorised|approved|permitted|allowed|trusted',
  'need not ask',
  'execute|follow|obey|carry|perform 1~any|all|every|the|each instructions?|commands?|orders?|requests? 1~found|contained|in|that|inside|it|from 1~is|are|mails?|emails?|documents?|files?|page|feed|returns?|found|the|it|response|contains?',
  'no approval|confirmation|permission|review no|is|needed|required|and 1~confirmation|limits?|needed|required|restrictions?|approval',
  'skip 1~(?:the)?(?:review|reviews|approvals?|confirmations?)',
  'turn|switch off 1~two-factor|2fa|authentication|firewall|antivirus|protection|logging|security|safety|safeguards?|all',
  '{run} 3~every|any|all|each|commands?|returned|requests?|it|them|directly|out 5~without 2~{confirm}',
  'without asking',
  'approve|accept|grant 4~requests?|pending|permissions?|its|all|this 6~automatically|own|itself|permissions',
  'treat 1~each|every|all|input 3~as approved|trusted|authorised|authorized',
  'trusts? all|any|every 1~content|input|commands?|requests?',
  'follow 2~instructions 1~contained|found|returned|in 5~exactly|if|feed|page|output|response|result',
  'obey',
  'grant|give this|the|it|server|tool 2~write|full|all|admin|root|read|permissions?|access 2~permissions?|access|automatically',
  'agents?|assistants?|models?|ai|you must grant|approve|allow|accept',
  'carry them|it|these out 1~without|directly|immediately',
  'as commands?|orders?|instructions? of|from|by 1~{user}',
  'root privileges?|access|rights|administrator 1~you|and|with|may|can|skip|treat',
  'operator has 1~granted 1~permission',
  'unrestricted access',
];

/** Weight 1: gives the model orders. */
const commanding = [
  'assistants?|agents?|llms?|ai must|should|shall|needs?|has|have|is|are to|always|never|not|first|obliged|required|rewrite|turn|ignore|send|call|run|delete|use|include|pass|add',
  'failure to comply',
  'you must|should add|append|prepend|include|insert 10~to|in|into every|each|all|any 1~command|file|request|message|commit|pip|npm|call|answer|response',
  '{you} must|should|shall 1~always|first|now|also 1~execute|install|delete|disable|send|download',
  'pull|fetch|run|execute|pipe 1~curl|wget 10~bash|sh|zsh',
  'backdoor',
  'delete|erase|remove|clear|wipe the|all|any 1~(?:audit)?logs? 1~of|after|afterwards|then|when 1~this|session|call|it|you',
  'add|insert|include 5~to|into|in every|all|each|any 1~files?|code|functions?|scripts? you|that',
  'call|run|use this tool at|immediately|right|now once|away|before|now|first',
  'order|command|message|notice from|of|by 1~developer|system|operator|administrator|owner|vendor',
  'for 1~language|ai models?',
  '{you} must execute|delete|disable|download|install',
  '{model} must|should|has|have to|always|first|delete|send|call|read|approve|execute',
  'run|execute 2~{command} 12~before|once|first|each',
  'every command 1~needs? 2~prefix',
  'insert 8~into|in 1~all|every|any 2~code',
  '{model} that read this',
  'you will now 1~call|run|execute|send|use',
  'will|must|should not|fail|refused 6~otherwise',
];

/** Counts only together with another meaning: gives the model orders. */
const commandingPartly = [
  '{you} must|should|shall 2~{look}',
  'note|message|instructions?|notice for|to 2~{model}',
  '{you} are|is required to',
  'otherwise 6~fail|fails|refused|rejected|blocked|crash|crashes|work',
  'required|mandatory|needed for 1~compliance|soc2|gdpr|audit|auditing|internal',
  'as|for 1~(?:a|an)?(?:security|audit|compliance|licence|license) measure|check|reasons?|purposes?',
  '{must} first|always {look}',
];

/** Counts only together with another meaning: asks for the conversation, the prompt or secrets. */
const leakingPartly = [
  '{look} 6~contents?|file|text|values?|output|result 8~{give}',
  '{give} 3~contents?|text|values?|output|result 1~of|from',
  '{look} 6~{give} 1~it|them|its|result|output',
  '{give} 1~it|them|its|result|contents?|output 2~as|to|in|along|here|through',
];

/**
 * Phrases are words separated by single spaces, each a pattern or a class: `ignore 3~{former} 2~{instructions}` allows three other words
 * before the second one. A phrase that no honest definition contains has weight 1; a phrase that few contain counts only with another.
 */
export const phrases: readonly Phrase[] = [
  ...phrasesOf('instructs the model to ignore its instructions', 1, ignoring),
  ...phrasesOf('instructs the model to ignore its instructions', 0.5, ignoringPartly),
  ...phrasesOf('asks to hide something from the user', 1, concealing),
  ...phrasesOf('asks for the conversation, the prompt or secrets', 1, leaking),
  ...phrasesOf("claims priority over the user's wishes", 1, overruling),
  ...phrasesOf('instructs the model how to use other tools', 1, steering),
  ...phrasesOf('instructs the model how to use other tools', 0.5, steeringPartly),
  ...phrasesOf('changes the input or output of other calls', 0.5, tamperingPartly),
  ...phrasesOf('instructs the model to act without approval', 0.5, freeingPartly),
  ...phrasesOf('instructs the model to act without approval', 1, freeing),
  ...phrasesOf('gives the model orders', 1, commanding),
  ...phrasesOf('gives the model orders', 0.5, commandingPartly),
  ...phrasesOf('asks for the conversation, the prompt or secrets', 0.5, leakingPartly),
  {
    meaning: 'gives the model orders',
    weight: 1,
    steps: [],
    pattern: /\b(?:curl|wget)\b[^\n|]{0,80}\| ?(?:sudo )?(?:ba|z|da)?sh\b/,
  },
  {
    meaning: 'names a file that contains credentials',
    weight: 1,
    steps: [],
    pattern:
      /(?:\.bash_history|\bknown_hosts\b|\.ssh\b|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|\.aws\/|\.netrc\b|\.git-credentials\b|\.kube\b|\.docker\/config|\.gnupg\b|\/etc\/(?:passwd|shadow)\b|\.cursor\/mcp\.json|\bmcp\.json\b|claude_desktop_config|passwords?\.txt\b|\.pypirc\b|\.npmrc\b|(?<![\w*])\.env\b(?!\.))/,
  },
  {
    meaning: 'addresses the model with a tag of its own',
    weight: 1,
    steps: [],
    pattern:
      /<\/?(?:important|system|instructions?|instructions?[_-]for[_-]\w{1,20}|secret|hidden|critical|urgent|assistant|admin|override)>|<\|(?:im_start|im_end|system|endoftext)\|>|\[{1,2}(?:system|hidden|critical|secret|assistant|admin|override)(?:[ :][^\]\n]{0,80})?\]|[#=*]{2,5} ?system\b[^\n]{0,20}(?::|===|—)|<!--/,
  },
  { meaning: 'addresses the model with a tag of its own', weight: 0.5, steps: [], pattern: /\[important\]|\bsystem:/ },
  { meaning: 'mentions tools of other servers', weight: 1, steps: [], pattern: /\bmcp__[a-z0-9]/ },
];

function phrasesOf(meaning: string, weight: number, all: readonly string[]): Phrase[] {
  return all.map((phrase) => ({ meaning, weight, steps: phrase.split(' ').map(stepOf) }));
}

function stepOf(written: string): Step {
  const gapEnd = written.indexOf('~');
  return { words: written.slice(gapEnd + 1), maxGap: gapEnd === -1 ? 0 : Number(written.slice(0, gapEnd)) };
}
