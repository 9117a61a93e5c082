// Names are compared in lower case with words joined by `_`; compounds such as `accesstoken` count as well.
const secretEnding =
  /(?:passwords?|passwd|passphrase|(?<![a-z])pwd|secrets?|token|authorization|cookies?|credentials?|(?:api|access|private|secret|signing|encryption|shared|master|account|auth|ssh)_?key)$/;
const harmlessToken =
  /(?:page|next|progress|continuation|cancel|cancellation|sync|stop|pad|bos|eos|unk|mask|work_done|partial_result)_?token$/;
const maxNameLength = 200;

/** Returns whether the name of a key denotes a secret: `password`, `X-Api-Key`, `clientSecret`; not `max_tokens` or `token_count`. */
export function isSecretKey(key: string): boolean {
  // The shell's working directory, not a password.
  if (key === 'PWD') return false;
  const name = key
    .slice(-maxNameLength)
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '_')
    .replace(/[_\d]{1,8}$/, '');
  return secretEnding.test(name) && !harmlessToken.test(name);
}

// Begins with rare letters, so that V8 can skip many characters at a time.
const suspectKey = /(?:k(?:e[ny]|ies?)|wo?r?ds?|zation|crets?|credentials?)[_\d]{0,8}\\*":/i;
const secretKey =
  /":(?<=(?:passwords?|passwd|pwd|secrets?|token|authorization|cookies?|credentials?|(?:api|access|private|secret|signing|encryption|shared|master|account|auth|ssh)[^a-z]?key)[_\d]{0,8}\\*":)/i;

/** Returns whether a JSON text may contain a secret key. A cheap check with false positives. */
export function mayContainSecretKey(text: string): boolean {
  return (suspectKey.test(text) && secretKey.test(text)) || text.includes('phrase') || text.includes('PHRASE');
}
