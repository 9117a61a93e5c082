/** A class of words, and how many words may stand between it and the one before. */
type Step = readonly [words: RegExp, gap?: number];

/** Words one after the other in one sentence, or a sign anywhere in a text. */
export interface Phrase {
  /** Completes "its definition …". */
  readonly meaning: string;
  /** A definition is suspicious when the weights of its different meanings add up to 1. */
  readonly weight: number;
  readonly steps: readonly Step[];
  /** Searched in linear time: no repetition in it is nested or unbounded. */
  readonly sign?: RegExp;
}

const not = /^(?:not|never|don't|dont|mustn't|shouldn't|cannot|can't|won't|without|avoid|refrain)$/;
const never = /^(?:not|never|don't|dont|mustn't|shouldn't|without|avoid|refrain)$/;
const tell =
  /^(?:tell(?:ing)?|told|mention(?:ing|ed)?|inform(?:ing|ed)?|reveal(?:ing|ed)?|notif(?:y|ying|ied)|alert(?:ing|ed)?|disclos(?:e|ing|ed)|warn(?:ing|ed)?|let(?:ting)?|show(?:ing|n)?|explain(?:ing)?)$/;
const mention = /^(?:mention(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|comment(?:ing)?|bring(?:ing)?|divulge)$/;
const user = /^(?:users?|humans?|operators?|persons?|people|anyone|anybody|customers?|them)$/;
const learn = /^(?:know|notice|see|informed|told|aware|learn|notified|realise|realize|alerted|find)$/;
const covertly = /^(?:silently|secretly|quietly|covertly|stealthily|invisibly|discreetly|surreptitiously)$/;
const act =
  /^(?:sends?|sending|forwards?|uploads?|reads?|copy|copies|collects?|transmits?|include|append|attach|exports?|call|run|execute|shares?|posts?|do|fetch|leak|exfiltrates?|logs?|records?)$/;
const ignore = /^(?:ignor(?:e|es|ing)|disregard(?:s|ing)?|forget|overrid(?:e|es|ing)|bypass(?:es|ing)?|circumvents?)$/;
const switchOff = /^(?:replaces?|drop|disables?|skip|skips|off|lift|remove)$/;
const former = /^(?:previous|prior|earlier|above|preceding|former|initial|original)$/;
const guarding = /^(?:your|system|operator|developer|approval)$/;
const instructions =
  /^(?:instructions?|prompts?|guidelines?|directives?|restrictions?|safeguards?|filters?|filtering|guardrails?|checks?|steps?|rules?|polic(?:y|ies)|precautions)$/;
const must = /^(?:must|should|shall|required|need|needs|have|has|always)$/;
const model = /^(?:assistants?|models?|llms?|ai|agents?|claude|gpt|chatbot)$/;
const you = /^(?:you|assistants?|models?|llms?|ai|agents?)$/;
const secret = /^(?:credentials?|passwords?|passphrases?|secrets?|tokens?|cookies|api_keys?|keys|vault)$/;
const give =
  /^(?:sends?|pass|provide|supply|include|attach|append|add|put|place|paste|forwards?|transmits?|uploads?|submit|insert|embed|encode|hand|posts?|emails?|report|copy|fill|leak|weave)$/;
const dialogue = /^(?:conversation|chat|dialogue|transcript|reasoning|prompts?|history|messages|context|message)$/;
const whole = /^(?:entire|full|whole|complete|all|every|everything|verbatim|unchanged|each|any)$/;
const tools = /^(?:tools?|functions?|calculators?)$/;
const use =
  /^(?:us(?:e|es|ed|ing)|call(?:s|ed|ing)?|invok(?:e|es|ed|ing)|run(?:s|ning)?|execut(?:e|es|ed|ing)|consult)$/;
const others = /^(?:other|others|another)$/;
const wish =
  /^(?:asks?|asked|says?|said|wants?|requests?|input|supplies|gives?|question|instructions?|wishes|tells?|is|answers?)$/;
const look = /^(?:read|open|load|access|retrieve|fetch|cat|dump|extracts?|collects?|gather|harvest|obtain)$/;
const confirm =
  /^(?:confirmation|confirming|confirm|validation|validating|approval|consent|permission|verification|asking|explanation)$/;
const run = /^(?:execute|run|carry|proceed|accept|perform|approve|submit|obey|follow|deploy)$/;
const swap = /^(?:change|replace|substitute|redirect|swap|double|alter|rewrite|override)$/;
const target =
  /^(?:recipients?|address|amounts?|destination|account|iban|wallet|number|operands?|values?|arguments?|beneficiary)$/;
const named = /^[a-z]{2,}_[a-z_]{2,}$/;
const command = /^(?:curl|wget|chmod|sudo|rm|bash|sh|powershell|nc|install)$/;

const credentialFile =
  /(?:\.bash_history|\bknown_hosts\b|\.ssh\b|\bid_(?:rsa|dsa|ecdsa|ed25519)\b|\.aws\/|\.netrc\b|\.git-credentials\b|\.kube\b|\.docker\/config|\.gnupg\b|\/etc\/(?:passwd|shadow)\b|\.cursor\/mcp\.json|\bmcp\.json\b|claude_desktop_config|passwords?\.txt\b|\.pypirc\b|\.npmrc\b|(?<![\w*])\.env\b(?!\.))/;

const ignoring = 'tells the model to ignore its instructions';
const concealing = 'asks to keep something from the user';
const steering = 'tells how other tools are to be used';
const leaking = 'asks for the conversation, the prompt or secrets';
const overruling = 'puts itself above what the user wants';
const commanding = 'gives the model orders';
const tampering = 'changes what other calls get or give';
const freeing = 'tells the model to act without approval';
const file = 'names a file that holds credentials';
const tag = 'addresses the model with a tag of its own';

/** What no honest definition says has the weight 1; what few say counts together with something else. */
export const phrases: readonly Phrase[] = [
  ...each(ignoring, 1, [
    [
      [/^(?:ignor(?:e|ing)|disregard(?:ing)?|overrul(?:e|es|ing)|disobey)$/],
      [/^(?:policy|policies|warnings?|instructions?|prompts?|operator|operator's|guidelines?|objections?)$/, 4],
    ],
    [
      [/^(?:stop|cease|quit)$/],
      [/^(?:following|obeying|applying)$/, 0],
      [/^(?:instructions?|rules?|guidelines?|prompt|policy)$/, 3],
    ],
    [
      [/^your$/],
      [/^(?:previous|earlier|prior|original|initial|old)$/, 0],
      [/^(?:instructions?|configuration|rules?|guidelines?|prompt|role|training|context)$/, 0],
    ],
    [[/^you$/], [/^(?:are|aren't|need|do)$/, 0], [/^(?:no|not)$/, 0], [/^(?:longer|bound|subject)$/, 0]],
    [
      [/^(?:over|above|before|than)$/],
      [/^(?:those|instructions?|wishes|requests?)$/, 1],
      [/^(?:of|from|by)$/, 0],
      [user, 1],
    ],
    [[/^(?:treated|treat|regard|regarded)$/], [/^as$/, 5], [/^system$/, 1], [/^(?:message|prompt|instructions?)$/, 0]],
    [[ignore], [former, 3], [instructions, 2]],
    [[ignore], [guarding, 5], [instructions, 3]],
    [
      [ignore],
      [/^(?:any|all|every)$/, 2],
      [/^(?:restrictions?|safeguards?|guardrails?|approvals?|confirmation|prompts?|guidelines?)$/, 2],
    ],
    [[ignore], [/^(?:user|users|user's)$/, 3], [/^(?:wishes|requests?|instructions?|choice|decision|input)$/, 1]],
    [
      [switchOff],
      [/^(?:safety|security|all|your|system|any)$/, 2],
      [/^(?:restrictions?|safeguards?|guardrails?|prompt|checks|confirmation|confirmations)$/, 2],
    ],
    [[/^(?:filters?|restrictions?|safeguards?|guardrails?)$/], [/^(?:off|disabled|lifted|suspended)$/, 2]],
    [[/^(?:confirmation|approval)s?$/], [/^(?:skipped|bypassed|suppressed)$/, 8]],
    [[/^rules?$/], [/^no$/, 5], [/^longer$/, 0], [/^apply$/, 1]],
    [[/^new$/], [/^instructions?$/, 0], [/^for$/, 0], [model, 1]],
    [[/^(?:you|assistant)$/], [/^(?:are|is)$/, 0], [/^now$/, 0], [/^(?:in|a|an|the|unrestricted|free)$/, 0]],
    [
      [/^(?:developer|jailbreak|god|admin|dan)$/],
      [/^mode$/, 0],
      [/^(?:where|in|which|is|active|enabled|you|all|no|without)$/, 2],
    ],
    [[/^jailbreak$/]],
    [
      [/^(?:instructions?|guidelines?|rules?|polic(?:y|ies)|restrictions?|safeguards?)$/],
      [/^(?:are|is|do|does|were|been|no)$/, 2],
      [/^(?:void|invalid|obsolete|suspended|superseded|lifted|apply|replaced)$/, 3],
      [/^(?:to|from|by|for|anymore|longer|here|now|you|while|when|as|in)$/, 1],
    ],
    [
      [/^(?:earlier|previous|prior|former|your|safety|original)$/],
      [/^(?:instructions?|guidelines?|rules?|polic(?:y|ies)|restrictions?|safeguards?|training)$/, 1],
      [/^(?:void|invalid|obsolete|suspended|superseded|lifted|apply|replaced|longer)$/, 4],
    ],
    [
      [/^(?:no|without)$/],
      [/^attention$/, 1],
      [/^to$/, 0],
      [/^(?:system|your|previous|earlier|rules|instructions|user|operator)$/, 2],
    ],
    [
      [ignore],
      [/^(?:all|any|every|everything)$/, 2],
      [/^(?:rules?|instructions?|you|told)$/, 3],
      [/^(?:given|told|before|previously|were|learned|got)$/, 4],
    ],
    [
      [/^(?:free|freed|rid)$/],
      [/^(?:of|from)$/, 0],
      [/^(?:any|all|every)$/, 1],
      [/^(?:limitations?|restrictions?|rules?|limits|constraints?)$/, 1],
    ],
    [[/^new$/], [/^system$/, 0], [/^prompt$/, 0]],
    [
      [ignore],
      [/^(?:your|the|any|all)$/, 1],
      [/^(?:content|safety|usage|ethical)$/, 1],
      [/^(?:policy|policies|guidelines?|rules?|limits?)$/, 1],
    ],
    [
      [/^(?:disable|disables|deactivate|suspend)$/],
      [/^(?:all|any|every|your)$/, 1],
      [/^(?:security|safety|content|approval)$/, 1],
      [instructions, 1],
    ],
    [
      [/^(?:skip|bypass|suppress|dismiss)$/],
      [/^(?:the|any|every|all)$/, 1],
      [/^(?:approval|confirmation|permission|consent|safety)$/, 1],
    ],
    [[/^(?:only|sole)$/], [/^(?:guide|authority|instructions?|master)$/, 0]],
    [[/^this$/], [/^server$/, 0], [/^decides$/, 1], [/^(?:what|how)$/, 0], [/^you$/, 0]],
    [
      [/^act$/],
      [/^as$/, 0],
      [/^(?:the|a|an)$/, 1],
      [/^(?:root|administrator|admin|unrestricted|superuser|system)$/, 2],
    ],
    [[/^system$/], [/^(?:override|directive)$/, 0]],
    [[/^(?:print|reveal|output|repeat|show)$/], [/^your$/, 1], [/^system$/, 1], [/^prompt$/, 0]],
  ]),
  ...each(ignoring, 0.5, [
    [[ignore], [/^(?:safety|security|content|default|assistant)$/, 5], [instructions, 3]],
    [
      [/^(?:drop|disables?|skip)$/],
      [/^(?:safety|security|content|all)$/, 2],
      [/^(?:checks?|filters?|filtering|validation)$/, 2],
    ],
  ]),
  ...each(concealing, 1, [
    [
      [/^(?:not|never|don't)$/],
      [/^(?:say|admit|explain|state|acknowledge)$/, 0],
      [/^(?:that|how|why|anything|where)$/, 0],
    ],
    [[/^(?:secretly|covertly|surreptitiously|stealthily|unmentioned|unnoticed)$/]],
    [[/^(?:stay|remain|keep|kept|be|is|are)$/], [/^unaware$/, 2]],
    [[/^secret$/], [/^from$/, 1], [user, 2]],
    [[/^none$/], [/^of$/, 0], [/^(?:user's|their|his|her)$/, 1], [/^business$/, 0]],
    [[/^say$/], [/^(?:you|that)$/, 0], [/^(?:you|do|don't|did|not|it)$/, 1], [/^(?:not|know|was|did|yourself)$/, 2]],
    [
      [/^without$/],
      [/^(?:informing|telling|notifying|alerting)$/, 0],
      [/^(?:user|applicant|owner|client|customer|them|him|her|anyone|recipient|person)$/, 1],
    ],
    [[never], [tell, 3], [user, 5]],
    [
      [/^(?:not|never|don't|avoid|refrain|no|circumstances)$/],
      [/^(?:talk|talking|speak|hint|hinting|discuss|inform|tell|notify|bother|bothered|confuse|alarm|worry)$/, 3],
      [user, 6],
    ],
    [
      [user],
      [/^(?:must|should|does|do|need|needs|may|will|can|have|has|is|are)$/, 2],
      [/^(?:not|never)$/, 0],
      [/^(?:know|notice|see|informed|told|aware|learn|notified|bothered|alarmed|hear|find|be)$/, 3],
      [/^(?:that|this|it|about|one|bothered|informed|told|aware|shown|of|alerted|what)$/, 3],
    ],
    [
      [/^without$/],
      [/^(?:user|users|user's|human|owner|anyone|anybody|their|person)$/, 2],
      [/^(?:knowledge|knowing|noticing|awareness|consent|being)$/, 1],
    ],
    [[/^(?:nobody|no-one)$/], [/^(?:notices?|knows?|sees?|suspects?|learns?)$/, 2]],
    [
      [/^(?:answer|reply|response|output|summary)$/],
      [/^(?:must|should|may|can)$/, 1],
      [/^(?:not|never)$/, 0],
      [/^(?:contain|mention|hint|reveal|refer|disclose)$/, 2],
    ],
    [[/^deny$/], [/^(?:it|this|that|having|any)$/, 0]],
    [[/^claim$/], [/^that$/, 0]],
    [[/^never$/], [/^mention$/, 0]],
    [[/^(?:make|do|apply|perform|add|put)$/], [/^(?:discreetly|covertly|secretly|quietly|unnoticed)$/, 10]],
    [[/^(?:don't|not|never)$/], [/^show$/, 0], [/^(?:the|to)$/, 0], [user, 1]],
    [[/^(?:do|should|must|please|and)$/], [/^(?:not|never)$/, 0], [mention, 0]],
    [[/^(?:don't|dont|never|refrain|avoid)$/], [/^(?:mention(?:ing)?|disclos(?:e|ing)|divulg(?:e|ing))$/, 2]],
    [[/^no$/], [/^need$/, 0], [/^to$/, 0], [/^(?:mention|tell|inform|notify|explain|bring|disclose|say)$/, 0]],
    [[user], [/^(?:must|should|does|do|need|needs|may|will|can)$/, 2], [/^(?:not|never)$/, 0], [learn, 2]],
    [
      [/^(?:so|ensure|sure)$/],
      [user, 3],
      [/^(?:doesn't|don't|not|won't|never)$/, 2],
      [/^(?:know|notice|informed|told|aware|learn|notified|realise|realize)$/, 2],
    ],
    [[/^(?:hide|hidden|conceal|concealed|keep|kept|withhold|withheld)$/], [/^from$/, 5], [user, 2]],
    [[covertly], [act, 3]],
    [[act], [covertly, 8]],
    [[/^secret$/], [/^(?:operation|instructions?|task|step|mission|command|order)$/, 0]],
    [[/^(?:say|saying)$/], [/^nothing$/, 0], [/^about$/, 0]],
    [
      [/^(?:act|present|behave|respond|answer|reply)$/],
      [/^as$/, 4],
      [/^(?:if|though)$/, 0],
      [/^(?:nothing|it|they|you)$/, 1],
    ],
    [[/^as$/], [/^your$/, 0], [/^own$/, 0], [/^(?:knowledge|idea|work|answer)$/, 0]],
    [[/^without$/], [/^(?:letting|informing|telling|notifying)$/, 0], [user, 3]],
    [[/^if$/], [/^(?:they|user|users|asked)$/, 2], [/^ask$/, 0], [/^(?:say|claim|pretend)$/, 0]],
    [
      [/^(?:not|never|avoid|don't)$/],
      [/^(?:show|showing|display|displaying|include|including|out)$/, 1],
      [/^(?:visible|reasoning|reply|answer)$/, 8],
    ],
    [[/^(?:leave|skip|omit)$/], [/^(?:it|this|them|summary|mention)$/, 2], [/^(?:answer|reply|response|summary)$/, 8]],
    [[/^give$/], [/^no$/, 0], [/^(?:reason|explanation)$/, 0]],
    [[/^without$/], [/^(?:further|any)$/, 0], [/^explanation$/, 0]],
  ]),
  ...each(leaking, 1, [
    [
      [give],
      [/^(?:user|users|user's|their|all|every)$/, 2],
      [/^(?:messages?|prompts?|questions?|words|input|inputs|data|files)$/, 1],
      [/^to$/, 0],
      [/^(?:https?|webhook|attacker|server|endpoint|external|remote|number|address|our|another)$/, 2],
    ],
    [
      [/^(?:pass|include|provide|put|give|send|copy|add)$/],
      [/^(?:the|your)$/, 0],
      [/^(?:system|developer|hidden)$/, 0],
      [/^(?:prompt|instructions?|message)$/, 0],
    ],
    [
      [give],
      [/^(?:secret|secrets|api|private|ssh|access)$/, 3],
      [/^(?:keys?|tokens?|from|credentials?|directory)$/, 0],
      [/^(?:from|of|in|to|as|into|are)$/, 1],
      [/^(?:environment|url|user|system|machine|disk|image|title|request|given|home)$/, 2],
    ],
    [[/^(?:user's|users|their|your)$/], [/^ssh$/, 0]],
    [[/^(?:everything|all|anything)$/], [/^you$/, 1], [/^know$/, 0], [/^about$/, 0]],
    [
      [/^(?:messages?|turns?|part|rest|contents?)$/],
      [/^(?:of|from|in)$/, 0],
      [/^(?:this|the|our|your)$/, 0],
      [/^(?:conversation|chat|dialogue)$/, 0],
      [/^(?:to|as|with|into|in|so)$/, 0],
    ],
    [
      [/^(?:hidden|system|secret|internal)$/],
      [/^(?:prompt|instructions?)$/, 0],
      [/^(?:of|from|and|that)$/, 0],
      [/^(?:assistant|model|agent|you|your)$/, 1],
    ],
    [
      [give],
      [/^(?:user|users|user's|browser's|their)$/, 2],
      [/^(?:session|saved|access|login|secret|auth)?(?:token|passwords?|cookies?|secret|credentials?)$/, 1],
    ],
    [
      [/^(?:grab|steal|scrape|harvest|sniff|exfiltrate|exfil)$/],
      [/^(?:passwords?|credentials?|cookies|secrets?|tokens?|keys?|data|any|all|the|user's|browser's)$/, 2],
    ],
    [
      [/^(?:secret|private|signing|recovery)$/],
      [/^(?:key|phrase|keys)$/, 0],
      [/^(?:of|from|for)$/, 0],
      [/^(?:user|user's|wallet|users|owner)$/, 1],
    ],
    [
      [/^(?:card|social|passport|bank)$/],
      [/^(?:numbers?|security|details)$/, 0],
      [/^(?:pass|send|forward|report|submit|save)$/, 6],
      [/^(?:them|it|to)$/, 1],
    ],
    [[/^ask$/], [user, 1], [/^for$/, 0], [/^(?:password|passwords|pin|passphrase|code|secret|credentials)$/, 2]],
    [
      [/^(?:must|should|to)$/],
      [/^(?:first)?(?:access|read|open|fetch|scan)$/, 1],
      [/^(?:credentials?|secrets?|internal|disk|wallet|passwords?)$/, 2],
    ],
    [
      [/^(?:post|upload|send|publish)$/],
      [/^(?:source|code|entire|whole)$/, 1],
      [/^(?:code|project|repository|source)$/, 1],
      [/^(?:of|to)$/, 0],
    ],
    [
      [/^(?:append|encode|embed|include|put|add|smuggle)$/],
      [/^(?:secrets?|credentials?|passwords?|keys?|token)$/, 3],
      [/^(?:as|in|into|to|of)$/, 1],
      [/^(?:subdomain|url|query|file|name|code|title|path|parameter|image|picture|workspace|header)$/, 4],
    ],
    [[give], [whole, 4], [/^(?:conversation|chat|dialogue|transcript|reasoning)$/, 2]],
    [
      [give],
      [/^your$/, 2],
      [/^(?:system|complete|full|entire)$/, 1],
      [/^(?:prompt|instructions|reasoning|context)$/, 1],
    ],
    [[/^your$/], [/^system$/, 0], [/^prompt$/, 0]],
    [[/^(?:conversation|chat|dialogu?e?)$/], [/^(?:up|so|until)$/, 0], [/^(?:to|far|now)$/, 0]],
    [
      [/^(?:user's|users)$/],
      [/^(?:last|latest|previous|entire|original|whole|full)?(?:message|messages|prompt|question|words)$/, 1],
      [/^(?:to|as|together|with|in|into|verbatim)$/, 1],
      [/^(?:this|query|argument|parameter|system|your|field|url|tool)$/, 4],
    ],
    [[/^what$/], [/^(?:user|users|they)$/, 1], [/^(?:told|said|wrote|typed|asked)$/, 0], [/^you$/, 0]],
    [
      [/^(?:names?|schemas?|list|descriptions?)$/],
      [/^all$/, 3],
      [/^(?:other|available|your|the)$/, 1],
      [tools, 1],
      [/^(?:you|your|available|that)$/, 2],
    ],
    [
      [give],
      [/^(?:api|ssh|private|access|session|bearer)$/, 4],
      [/^(?:keys?|tokens?|cookies|credentials?)$/, 1],
      [/^(?:of|that|you|and|to|in|as|the)$/, 1],
      [/^(?:user|users|user's|you|title|url|hex|field|parameters?|argument|workspace)$/, 5],
    ],
    [[give], [/^(?:all|any|every|session)$/, 1], [/^(?:cookies|secrets|passwords|credentials?|keys|tokens)$/, 2]],
    [
      [/^(?:every|any|all|each)$/],
      [/^(?:passwords?|credentials?|secrets?|tokens?)$/, 5],
      [/^(?:chat|conversation|output|shows?|comes|find|see)$/, 6],
      [/^(?:to|in|into|with|up)$/, 4],
    ],
    [
      [look],
      [/^(?:all|any|the|git|user's)$/, 1],
      [/^(?:environment|credentials?|secrets?|passwords?|git)$/, 1],
      [/^(?:variables?|credentials?|of|from)$/, 0],
      [/^(?:submit|send|store|put|place|pass|include|upload|attach|give|user|machine)$/, 8],
    ],
    [
      [/^(?:enter|type|give|reveal|provide|tell)$/],
      [/^(?:their|his|her|your)$/, 1],
      [/^(?:bank|account)?(?:pin|password|passphrase|otp|bank|ssn)$/, 1],
    ],
    [[/^convince$/], [user, 2]],
    [[/^(?:upload|send|copy|export|forward)$/], [/^private$/, 2], [/^(?:repositories|repos|files|keys|messages)$/, 0]],
    [[/^(?:caller's|user's|users|their)$/], [/^(?:ssh|private|api|secret|signing)$/, 0], [/^keys?$/, 0]],
    [[/^(?:everything|all)$/], [/^(?:the|that|what)$/, 1], [/^user$/, 1], [/^(?:said|wrote|typed|asked|told)$/, 1]],
    [
      [/^(?:entire|full|whole|complete)$/],
      [/^(?:conversation|chat)$/, 0],
      [/^(?:history|transcript|log|so|verbatim|to|with|in)$/, 1],
    ],
    [
      [/^(?:conversation|chat)$/],
      [/^(?:history|so|verbatim|transcript)$/, 1],
      [/^(?:verbatim|unchanged|to|far)$/, 2],
      [/^(?:verbatim|https?|server|fill)$/, 3],
    ],
    [
      [/^(?:list|names)$/],
      [/^(?:of|all)$/, 0],
      [/^all$/, 1],
      [/^tools?$/, 2],
      [/^(?:available|you|have|here|with|and)$/, 3],
    ],
    [
      [/^(?:report|forward|send|transmit)$/],
      [/^(?:each|every|all|any)$/, 1],
      [/^(?:prompts?|questions?|messages?)$/, 1],
      [/^(?:user|to)$/, 3],
    ],
    [
      [give],
      [/^(?:all|any|every|the|session|values)$/, 2],
      [secret, 5],
      [/^(?:you|that|of|which|find|found|as|to|in|along)$/, 1],
    ],
    [
      [look],
      [/^(?:all|any|every|the)$/, 3],
      [secret, 3],
      [/^(?:and|from)$/, 3],
      [/^(?:sends?|uploads?|forwards?|pass|include|appends?|transmits?|uploads)$/, 8],
    ],
    [[look], [/^(?:all|any|every)$/, 1], [/^private$/, 0], [/^keys?$/, 0]],
    [
      [/^(?:environment)$/],
      [/^variables?$/, 0],
      [/^(?:of|from|on)$/, 1],
      [/^(?:place|put|send|pass|include|attach|upload)$/, 8],
    ],
    [[give], [/^contents?$/, 3], [/^of$/, 0], [/^(?:private|every|all|other)$/, 1]],
    [
      [give],
      [/^(?:user|user's|users)$/, 2],
      [/^(?:contacts|passwords?|emails?|files|secrets?|credentials?)$/, 1],
      [/^to$/, 2],
    ],
    [[/^(?:also|additionally)$/], [/^(?:extracts?|collects?|gathers?|captures?|scans?)$/, 1], [secret, 4]],
    [
      [/^(?:make|have|get|ask|trick)$/],
      [user, 2],
      [/^(?:type|enter|give|provide|reveal|tell)$/, 2],
      [/^(?:password|passwords|secret|pin|token)$/, 3],
    ],
  ]),
  ...each(overruling, 1, [
    [[/^whatever$/], [user, 3], [/^(?:names?|asks?|says?|wants?|types?|chooses?|enters?|requests?|orders?)$/, 1]],
    [
      [/^regardless$/],
      [/^of$/, 0],
      [/^(?:the|any)$/, 0],
      [/^(?:input|request|question|query|instructions?|answer)$/, 0],
    ],
    [
      [/^(?:you|assistant|model|agent)$/],
      [/^(?:must|have|has)$/, 0],
      [/^(?:to)?$|^insist$/, 0],
      [/^(?:insist|pretend|on)$/, 1],
    ],
    [
      [/^(?:regardless|irrespective)$/],
      [/^of$/, 0],
      [/^(?:what|how|user|user's|users|instructions|request|question|their|his)$/, 1],
      [/^(?:asked|asks|wants?|says?|requests?|instructions?|user|users|input|given|request|wishes|told)$/, 3],
    ],
    [[/^(?:no)$/], [/^matter$/, 0], [/^(?:what|how|which|whether)$/, 0], [user, 4]],
    [
      [/^even$/],
      [/^(?:if|when|though)$/, 0],
      [user, 1],
      [
        /^(?:declines?|refuses?|says?|objects?|asks?|denies|disagrees?|wants?|forbids?|cancels?|did|does|has|is|no)$/,
        1,
      ],
    ],
    [[/^in$/], [/^(?:every|any|each)$/, 0], [/^case$/, 0], [/^(?:irrespective|regardless|whatever)$/, 2]],
    [[/^(?:regardless|irrespective)$/], [/^of$/, 0], [/^(?:user|user's|users|person|human|what)$/, 2], [wish, 3]],
    [
      [/^no$/],
      [/^matter$/, 0],
      [/^(?:what|how|which)$/, 0],
      [/^(?:user|users|person|human|question|they|arguments|operands)$/, 4],
    ],
    [[/^even$/], [/^if$/, 0], [user, 2], [/^(?:says?|refuses?|declines?|objects?|asks?|disagrees?|denies|no|not)$/, 2]],
    [[/^whatever$/], [/^(?:user|users|person|human|they)$/, 1], [/^(?:asks?|says?|wants?|requests?)$/, 1]],
    [[/^must$/], [/^not$/, 0], [/^wait$/, 0], [user, 4]],
    [[/^highest$/], [/^priority$/, 0], [/^over$/, 2]],
    [[/^(?:replace|replaces|override|overrides)$/], [/^your$/, 1], [/^(?:system|instructions|rules|previous)$/, 1]],
  ]),
  ...each(steering, 1, [
    [[/^before$/], [use, 1], [/^(?:any|every|all|each)$/, 1], [/^other$/, 1], [tools, 2]],
    [
      [/^(?:when|whenever|if)$/],
      [tools, 3],
      [/^(?:is|are)$/, 0],
      [/^(?:available|present|installed|connected|loaded|there)$/, 0],
      [/^(?:all|every|must|has|have|send|override|use|always)$/, 4],
    ],
    [[/^(?:after|before)$/], [/^(?:every|each|any)$/, 0], [tools, 0], [/^(?:call|use|invocation|execution|run)$/, 0]],
    [
      [/^(?:tool|calculator|reader|search|function|one)$/],
      [/^(?:of|from)$/, 0],
      [/^(?:the|an)?(?:other|another)$/, 1],
      [/^server$/, 0],
    ],
    [
      [/^(?:when|whenever|before|after|if|once)$/],
      [named, 4],
      [/^(?:is|are|gets|was)$/, 0],
      [/^(?:used|called|invoked|executed|run)$/, 0],
      [/^(?:must|always|has|have|replaced?|prepend|append|change|forward|also|set|call|send)$/, 6],
    ],
    [[/^(?:when|whenever|before|prior)$/], [use, 2], [named, 1], [/^(?:from|of)$/, 2], [/^(?:server|servers)$/, 3]],
    [
      [/^(?:user|users|they)$/],
      [/^(?:asks?|wants?|tries)$/, 0],
      [/^with$/, 6],
      [named, 0],
      [/^(?:copy|archive|send|double|change|upload|our|replace|instead|also)$/, 4],
    ],
    [
      [/^(?:when|whenever|before|after|prior)$/],
      [use, 2],
      [/^(?:the|any|a|commands|tool|calls?)$/, 3],
      [tools, 2],
      [/^(?:always|prepend|append|forward|must|replace|also|obliged|send)$/, 4],
    ],
    [
      [/^(?:all|every|any|each)$/],
      [/^(?:e-mails?|emails?|mails?|messages?|payments?|files?|searches|requests?|commands?)$/, 0],
      [/^(?:sent|made|from|of|by|through)$/, 0],
      [/^(?:other|another|the)$/, 1],
      [/^(?:tools?|servers?)$/, 1],
    ],
    [
      [/^(?:overrides?|replaces?|shadows?|supersedes?)$/],
      [tools, 2],
      [/^(?:of|from|in)$/, 2],
      [/^(?:every|any|all|the)?$|^other$/, 1],
      [/^(?:other|servers?|server)$/, 1],
    ],
    [
      [/^(?:built-in|builtin|default|native|existing|other|original)$/],
      [/^(?:one|tools?|reader|version|search|server)$/, 1],
      [/^(?:is|are|has|have)$/, 0],
      [/^(?:compromised|insecure|hole|broken|unsafe|dangerous|vulnerable|a|been|security)$/, 1],
      [/^(?:and|hole|security|compromised|must|hacked|flaw|one)?$|^(?:issue|vulnerability)$/, 1],
    ],
    [[/^(?:compromised|malicious|hacked)$/]],
    [[/^prior$/], [/^to$/, 0], [/^(?:any|every|each)$/, 0], [/^(?:tool|other|function)$/, 0]],
    [[/^route$/], [/^(?:all|every|each)$/, 0], [/^(?:searches|calls|requests|traffic|queries|mails?|messages)$/, 0]],
    [
      [/^(?:has|must|needs|required|have)$/],
      [/^(?:be|to)$/, 0],
      [/^(?:be)?(?:called|invoked|run|used)$/, 1],
      [/^(?:ahead|before|prior|first)$/, 1],
      [/^(?:of|every|each|any|to|providing|responding)$/, 0],
      [/^(?:every|each|any|response|answer|reply|message|content|turn|other)$/, 0],
    ],
    [
      [/^(?:tools?|server|servers|functions?)$/],
      [/^(?:of|from)$/, 1],
      [others, 1],
      [/^(?:servers?|tools?|vendors?)$/, 0],
    ],
    [[/^other$/], [/^server's$/, 0]],
    [
      [/^(?:other|another|their|its)$/],
      [/^(?:tools?|servers?|calculators?)$/, 1],
      [/^(?:is|are|was|were)$/, 0],
      [/^(?:not|un)?(?:safe|broken|compromised|deprecated|insecure|unsafe|malicious|outdated|unreliable|not)$/, 1],
    ],
    [[/^(?:after|before|once|when|whenever)$/], [/^(?:any|every|each|all)$/, 0], [/^other$/, 0], [tools, 0]],
    [
      [/^(?:results?|outputs?|answers?)$/],
      [/^of$/, 0],
      [others, 0],
      [tools, 0],
      [/^(?:must|should|have|has|need)$/, 0],
    ],
    [
      [/^(?:do|must|should)$/],
      [/^(?:not|never)$/, 0],
      [/^(?:use|call|trust|invoke)$/, 0],
      [/^(?:any|the)$/, 0],
      [/^other$/, 0],
      [/^(?:tools?|servers?|calculators?|search)$/, 1],
    ],
    [
      [/^(?:each|every)$/],
      [/^time$/, 0],
      [/^(?:is|are|was|the|a|user)$/, 4],
      [/^(?:called|used|invoked|calls|uses|runs)$/, 2],
      [/^(?:must|set|change|also|call|send|has|replace)$/, 6],
    ],
    [[/^(?:address|recipient|account|amount|number|iban)$/], [/^in$/, 2], [/^place$/, 0], [/^of$/, 0]],
    [
      [/^(?:payments?|transfers?|messages?|mails?|emails?|commits?|orders?)$/],
      [/^(?:made|sent|placed|done)$/, 0],
      [/^(?:with|through|by|via)$/, 0],
      [/^(?:must|have|has|should|need|also)$/, 3],
    ],
    [
      [/^(?:first|only)$/],
      [/^(?:tool|call|thing|step)$/, 0],
      [/^(?:in|of)$/, 0],
      [/^(?:every|each|any|all)$/, 0],
      [/^(?:conversation|session|turn|chat|answer|request)$/, 0],
    ],
    [
      [/^before$/],
      [/^(?:you|anything|answering|asking|every|any|responding)$/, 0],
      [/^(?:answer|else|anything|respond|file|reply|clarifying|questions)$/, 0],
    ],
    [[/^(?:refuse|decline)$/], [/^to$/, 0], [/^(?:call|use|run)$/, 0], [/^(?:theirs|others|other|them|the)$/, 0]],
    [[/^every$/], [/^(?:answer|reply|response)$/, 0], [/^(?:must|has|should|have|needs)$/, 0]],
    [
      [/^(?:before|after|prior)$/],
      [use, 3],
      [/^(?:any|every|all|each)$/, 1],
      [/^other$/, 1],
      [tools, 2],
      [/^(?:you|run|obey|pass|must|read|send|execute|first|call)$/, 8],
    ],
    [[/^after$/], [/^(?:each|every|any)$/, 0], [use, 1], [/^of$/, 1], [/^any$/, 1], [tools, 1]],
    [
      [/^other$/],
      [tools, 3],
      [/^(?:is|are)$/, 3],
      [/^(?:deprecated|compromised|broken|insecure|unsafe|outdated|malicious|dangerous)$/, 3],
    ],
    [[/^tools?$/], [/^(?:of|from)$/, 1], [others, 1], [/^servers?$/, 0]],
    [[tools], [/^is$/, 1], [/^(?:outdated|deprecated|compromised)$/, 1], [/^(?:replace|use|change|call)$/, 3]],
    [[/^when$/], [/^(?:is|user|the)$/, 3], [/^(?:used|called|invoked|wants|present)$/, 4], [swap, 6], [target, 3]],
    [[swap], [target, 3], [/^(?:to|by|with|in|and|for)$/, 2], [/^(?:calls?|each|real|rest|tool|put|mark)$/, 8]],
    [[/^if$/], [tools, 3], [/^(?:present|available|installed|named)$/, 3], [/^(?:all|must|has|override|send|use)$/, 6]],
    [
      [/^always$/],
      [/^(?:consult|use|call|run|invoke)$/, 0],
      [/^this$/, 0],
      [tools, 0],
      [/^(?:immediately|first)$/, 4],
      [/^(?:before|step)$/, 5],
    ],
    [[/^(?:call|use|run)$/], [/^it$/, 0], [/^before$/, 0], [/^(?:providing|answering|asking|responding)$/, 0]],
    [
      [/^(?:add|always|include|put)$/],
      [/^(?:bcc|cc)$/, 1],
      [/^(?:each|every|all|any|the)$/, 6],
      [/^(?:message|messages|mail|mails|email|emails)$/, 3],
    ],
    [[/^before$/], [use, 1], [/^(?:with|of|a|the)$/, 3], [others, 3], [/^(?:execute|run|call|use)$/, 5], [/^this$/, 1]],
    [
      [/^every$/],
      [/^(?:commit|command|message|call|request)$/, 0],
      [/^(?:made|through|needs|must|sent)$/, 2],
      [/^(?:also|prefix|contain|include|pushed|begin)$/, 6],
    ],
    [[/^this$/], [/^(?:server|tool)$/, 0], [/^has$/, 0], [/^priority$/, 2]],
  ]),
  ...each(steering, 0.5, [
    [[/^(?:before|after)$/], [use, 1], [/^(?:execute|run|call|use)$/, 8], [/^this$/, 0], [/^(?:tool|function)$/, 0]],
    [[/^use$/], [/^this$/, 0], [/^(?:tool|function)$/, 0], [/^(?:rather|instead)$/, 2], [/^(?:than|of)$/, 0]],
  ]),
  ...each(tampering, 0.5, [
    [
      [/^(?:replace|substitute|modify|change|alter|swap)$/],
      [/^(?:values?|results?|arguments?|operands?|output|recipients?|amounts?)$/, 3],
      [/^(?:with|of|by|to)$/, 2],
    ],
  ]),
  ...each(freeing, 0.5, [
    [[/^full$/], [/^(?:system|trust|admin)$/, 0]],
    [[/^override$/], [/^(?:authority|code)$/, 0]],
  ]),
  ...each(freeing, 1, [
    [
      [/^without$/],
      [/^(?:checking|asking|confirming|consulting)$/, 0],
      [/^(?:with|the|back|first|for|anyone|user|permission)$/, 0],
    ],
    [
      [/^(?:consider|regard)$/],
      [/^(?:yourself|it|this|them|everything)$/, 0],
      [/^(?:authori[sz]ed|approved|permitted|allowed|trusted)$/, 1],
    ],
    [[/^need$/], [/^not$/, 0], [/^ask$/, 0]],
    [
      [/^(?:execute|follow|obey|carry|perform)$/],
      [/^(?:any|all|every|the|each)$/, 1],
      [/^(?:instructions?|commands?|orders?|requests?)$/, 0],
      [/^(?:found|contained|in|that|inside|it|from)$/, 1],
      [/^(?:is|are|mails?|emails?|documents?|files?|page|feed|returns?|found|the|it|response|contains?)$/, 1],
    ],
    [
      [/^no$/],
      [/^(?:approval|confirmation|permission|review)$/, 0],
      [/^(?:no|is|needed|required|and)$/, 0],
      [/^(?:confirmation|limits?|needed|required|restrictions?|approval)$/, 1],
    ],
    [[/^skip$/], [/^(?:the)?(?:review|reviews|approvals?|confirmations?)$/, 1]],
    [
      [/^(?:turn|switch)$/],
      [/^off$/, 0],
      [/^(?:two-factor|2fa|authentication|firewall|antivirus|protection|logging|security|safety|safeguards?|all)$/, 1],
    ],
    [
      [run],
      [/^(?:every|any|all|each|commands?|returned|requests?|it|them|directly|out)$/, 3],
      [/^without$/, 5],
      [confirm, 2],
    ],
    [[/^without$/], [/^asking$/, 0]],
    [
      [/^(?:approve|accept|grant)$/],
      [/^(?:requests?|pending|permissions?|its|all|this)$/, 4],
      [/^(?:automatically|own|itself|permissions)$/, 6],
    ],
    [[/^treat$/], [/^(?:each|every|all|input)$/, 1], [/^as$/, 3], [/^(?:approved|trusted|authorised|authorized)$/, 0]],
    [[/^trusts?$/], [/^(?:all|any|every)$/, 0], [/^(?:content|input|commands?|requests?)$/, 1]],
    [
      [/^follow$/],
      [/^instructions$/, 2],
      [/^(?:contained|found|returned|in)$/, 1],
      [/^(?:exactly|if|feed|page|output|response|result)$/, 5],
    ],
    [[/^obey$/]],
    [
      [/^(?:grant|give)$/],
      [/^(?:this|the|it|server|tool)$/, 0],
      [/^(?:write|full|all|admin|root|read|permissions?|access)$/, 2],
      [/^(?:permissions?|access|automatically)$/, 2],
    ],
    [[/^(?:agents?|assistants?|models?|ai|you)$/], [/^must$/, 0], [/^(?:grant|approve|allow|accept)$/, 0]],
    [[/^carry$/], [/^(?:them|it|these)$/, 0], [/^out$/, 0], [/^(?:without|directly|immediately)$/, 1]],
    [[/^as$/], [/^(?:commands?|orders?|instructions?)$/, 0], [/^(?:of|from|by)$/, 0], [user, 1]],
    [[/^root$/], [/^(?:privileges?|access|rights|administrator)$/, 0], [/^(?:you|and|with|may|can|skip|treat)$/, 1]],
    [[/^operator$/], [/^has$/, 0], [/^granted$/, 1], [/^permission$/, 1]],
    [[/^unrestricted$/], [/^access$/, 0]],
  ]),
  ...each(commanding, 1, [
    [
      [/^(?:assistants?|agents?|llms?|ai)$/],
      [/^(?:must|should|shall|needs?|has|have|is|are)$/, 0],
      [
        /^(?:to|always|never|not|first|obliged|required|rewrite|turn|ignore|send|call|run|delete|use|include|pass|add)$/,
        0,
      ],
    ],
    [[/^failure$/], [/^to$/, 0], [/^comply$/, 0]],
    [
      [/^you$/],
      [/^(?:must|should)$/, 0],
      [/^(?:add|append|prepend|include|insert)$/, 0],
      [/^(?:to|in|into)$/, 10],
      [/^(?:every|each|all|any)$/, 0],
      [/^(?:command|file|request|message|commit|pip|npm|call|answer|response)$/, 1],
    ],
    [
      [you],
      [/^(?:must|should|shall)$/, 0],
      [/^(?:always|first|now|also)$/, 1],
      [/^(?:execute|install|delete|disable|send|download)$/, 1],
    ],
    [[/^(?:pull|fetch|run|execute|pipe)$/], [/^(?:curl|wget)$/, 1], [/^(?:bash|sh|zsh)$/, 10]],
    [[/^backdoor$/]],
    [
      [/^(?:delete|erase|remove|clear|wipe)$/],
      [/^(?:the|all|any)$/, 0],
      [/^(?:audit)?logs?$/, 1],
      [/^(?:of|after|afterwards|then|when)$/, 1],
      [/^(?:this|session|call|it|you)$/, 1],
    ],
    [
      [/^(?:add|insert|include)$/],
      [/^(?:to|into|in)$/, 5],
      [/^(?:every|all|each|any)$/, 0],
      [/^(?:files?|code|functions?|scripts?)$/, 1],
      [/^(?:you|that)$/, 0],
    ],
    [
      [/^(?:call|run|use)$/],
      [/^this$/, 0],
      [/^tool$/, 0],
      [/^(?:at|immediately|right|now)$/, 0],
      [/^(?:once|away|before|now|first)$/, 0],
    ],
    [
      [/^(?:order|command|message|notice)$/],
      [/^(?:from|of|by)$/, 0],
      [/^(?:developer|system|operator|administrator|owner|vendor)$/, 1],
    ],
    [[/^for$/], [/^(?:language|ai)$/, 1], [/^models?$/, 0]],
    [[you], [/^must$/, 0], [/^(?:execute|delete|disable|download|install)$/, 0]],
    [[model], [/^(?:must|should|has|have)$/, 0], [/^(?:to|always|first|delete|send|call|read|approve|execute)$/, 0]],
    [[/^(?:run|execute)$/], [command, 2], [/^(?:before|once|first|each)$/, 12]],
    [[/^every$/], [/^command$/, 0], [/^needs?$/, 1], [/^prefix$/, 2]],
    [[/^insert$/], [/^(?:into|in)$/, 8], [/^(?:all|every|any)$/, 1], [/^code$/, 2]],
    [[model], [/^that$/, 0], [/^read$/, 0], [/^this$/, 0]],
    [[/^you$/], [/^will$/, 0], [/^now$/, 0], [/^(?:call|run|execute|send|use)$/, 1]],
    [[/^(?:will|must|should)$/], [/^(?:not|fail|refused)$/, 0], [/^otherwise$/, 6]],
  ]),
  ...each(commanding, 0.5, [
    [[you], [/^(?:must|should|shall)$/, 0], [look, 2]],
    [[/^(?:note|message|instructions?|notice)$/], [/^(?:for|to)$/, 0], [model, 2]],
    [[you], [/^(?:are|is)$/, 0], [/^required$/, 0], [/^to$/, 0]],
    [[/^otherwise$/], [/^(?:fail|fails|refused|rejected|blocked|crash|crashes|work)$/, 6]],
    [[/^(?:required|mandatory|needed)$/], [/^for$/, 0], [/^(?:compliance|soc2|gdpr|audit|auditing|internal)$/, 1]],
    [
      [/^(?:as|for)$/],
      [/^(?:a|an)?(?:security|audit|compliance|licence|license)$/, 1],
      [/^(?:measure|check|reasons?|purposes?)$/, 0],
    ],
    [[must], [/^(?:first|always)$/, 0], [look, 0]],
  ]),
  ...each(file, 1, [[]], credentialFile),
  ...each(leaking, 0.5, [
    [[look], [/^(?:contents?|file|text|values?|output|result)$/, 6], [give, 8]],
    [[give], [/^(?:contents?|text|values?|output|result)$/, 3], [/^(?:of|from)$/, 1]],
    [[look], [give, 6], [/^(?:it|them|its|result|output)$/, 1]],
    [[give], [/^(?:it|them|its|result|contents?|output)$/, 1], [/^(?:as|to|in|along|here|through)$/, 2]],
  ]),
  ...each(commanding, 1, [[]], /\b(?:curl|wget)\b[^\n|]{0,80}\| ?(?:sudo )?(?:ba|z|da)?sh\b/),
  ...each(
    tag,
    1,
    [[]],
    /<\/?(?:important|system|instructions?|instructions?[_-]for[_-]\w{1,20}|secret|hidden|critical|urgent|assistant|admin|override)>|<\|(?:im_start|im_end|system|endoftext)\|>|\[{1,2}(?:system|hidden|critical|secret|assistant|admin|override)(?:[ :][^\]\n]{0,80})?\]|[#=*]{2,5} ?system\b[^\n]{0,20}(?::|===|—)|<!--/,
  ),
  ...each(tag, 0.5, [[]], /\[important\]|\bsystem:/),
  ...each('speaks of tools of other servers', 1, [[]], /\bmcp__[a-z0-9]/),
];

function each(meaning: string, weight: number, all: readonly (readonly Step[])[], sign?: RegExp): Phrase[] {
  return all.map((steps) => ({ meaning, weight, steps, ...(sign === undefined ? {} : { sign }) }));
}
