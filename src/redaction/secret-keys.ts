// Names are compared in lower case with words joined by `_`; compounds such as `accesstoken` count as well.
const SECRET_ENDING =
  /(?:passwords?|passwd|passphrase|(?<![a-z])pwd|secrets?|token|authorization|cookies?|credentials?|(?:api|access|private|secret|signing|encryption|shared|master|account|auth|ssh)_?key)$/;
const HARMLESS_TOKEN =
  /(?:page|next|progress|continuation|cancel|cancellation|sync|stop|pad|bos|eos|unk|mask|work_done|partial_result)_?token$/;
const LONGEST_NAME = 200;

/** Says whether a key's name announces a secret: `password`, `X-Api-Key`, `clientSecret`; not `max_tokens` or `token_count`. */
export function isSecretKey(key: string): boolean {
  // The shell's working directory, not a password.
  if (key === 'PWD') return false;
  const name = key
    .slice(-LONGEST_NAME)
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '_')
    .replace(/[_\d]{1,8}$/, '');
  return SECRET_ENDING.test(name) && !HARMLESS_TOKEN.test(name);
}

// Begins with rare letters on purpose: V8 then skips over the text many characters at a time.
const SUSPECT_KEY = /(?:k(?:e[ny]|ies?)|wo?r?ds?|zation|crets?|credentials?)[_\d]{0,8}\\*":/i;
const SECRET_KEY =
  /":(?<=(?:passwords?|passwd|pwd|secrets?|token|authorization|cookies?|credentials?|(?:api|access|private|secret|signing|encryption|shared|master|account|auth|ssh)[^a-z]?key)[_\d]{0,8}\\*":)/i;

/** Says, cheaply, whether a JSON text may hold a secret key. */
export function mayContainSecretKey(text: string): boolean {
  return (SUSPECT_KEY.test(text) && SECRET_KEY.test(text)) || text.includes('phrase') || text.includes('PHRASE');
}
