import { minSecretLength } from '../../redaction/redactor.ts';
import { replaceSecretPatterns } from '../../redaction/secret-patterns.ts';
import { authorizationScheme, isSecretName, isLikelySecret } from '../secrets/secret-detection.ts';
import type { ImportContext } from './found-server.ts';

/** The server whose texts are looked at, and where it is told what was left behind. */
export interface SecretHolder {
  readonly server: string;
  readonly context: Pick<ImportContext, 'secrets'>;
  note(text: string): void;
}

/** The value of a variable or a header, without a secret in it: a reference to it stands in its place. */
export function protectedValue(key: string, value: string, holder: SecretHolder): string {
  const text = withoutSecretDefaults(key, value, holder);
  if (!isLikelySecret(key, text)) return text;
  const kept = authorizationScheme.exec(text)?.[0] ?? '';
  // A header is named for what it carries, which for a bearer token is the token.
  const name = /^authorization$/i.test(key) ? 'TOKEN' : key;
  return kept + reference(name, text.slice(kept.length), holder);
}

/** The arguments of a command, without the secrets that stand in them. */
export function protectedArguments(args: readonly string[], holder: SecretHolder): string[] {
  return args.map((text, index) => {
    const previous = args[index - 1];
    const [, flag, value] = /^(--?[\w.-]+|[A-Za-z_]\w*)=(.+)$/s.exec(text) ?? [];
    if (flag !== undefined && value !== undefined) return `${flag}=${protectedOption(flag, value, holder)}`;
    if (previous !== undefined && /^--?[A-Za-z][\w.-]*$/.test(previous) && !text.startsWith('-')) {
      const [, header, colon, content] = /^([A-Za-z][\w-]*)(:\s*)(?!\/\/)(\S.*)$/s.exec(text) ?? [];
      if (header !== undefined && content !== undefined)
        return `${header}${colon}${protectedValue(header, content, holder)}`;
      return protectedOption(previous, text, holder);
    }
    return protectedText(text, holder);
  });
}

/** An address without password and without secrets in its query. */
export function protectedUrl(url: string, holder: SecretHolder): string {
  const withoutQuerySecrets = url.replaceAll(
    /([?&])([^=&#?/:@\s]+)=([^&#]+)/g,
    (_whole, mark: string, key: string, value: string) => {
      return `${mark}${key}=${protectedValue(key, value, holder)}`;
    },
  );
  return withoutPatterns(withoutQuerySecrets, holder);
}

/** Any text, without what has the form of a secret. */
export function withoutPatterns(text: string, holder: SecretHolder): string {
  // References are no secrets, and this form is one that no pattern takes for a secret.
  const masks: { readonly shown: string; readonly original: string }[] = [];
  const mask = (shown: string, original: string): string => `[redacted:${masks.push({ shown, original }) - 1}]`;
  const unmasked = (masked: string, which: 'shown' | 'original'): string =>
    masked.replaceAll(/\[redacted:(\d+)\]/g, (whole, index: string) => masks[Number(index)]?.[which] ?? whole);
  const masked = text.replaceAll(/\$\{[^}]*\}/g, (whole) => mask(whole, whole));
  const clean = replaceSecretPatterns(masked, (name, token) => {
    // A secret within a secret was masked before.
    const original = unmasked(token, 'original');
    return mask(reference(name, original, holder), original);
  });
  return unmasked(clean, 'shown');
}

/** `${env:TOKEN:-the real one}`. */
function withoutSecretDefaults(key: string, value: string, { note }: SecretHolder): string {
  return value.replaceAll(/\$\{env:([^}:]+):-([^}]+)\}/g, (whole, name: string, fallback: string) => {
    if (!isSecretName(name) && !isLikelySecret(key, fallback)) return whole;
    note(`the default of ${name} looks like a secret and is not copied: set the environment variable ${name}`);
    return `\${env:${name}}`;
  });
}

function reference(key: string, value: string, { server, context: { secrets }, note }: SecretHolder): string {
  // What holds references has no value yet.
  const canBeKept = value.length >= minSecretLength && !/\$\{|\0/.test(value) && value.isWellFormed();
  const name = canBeKept ? secrets.keep(server, key, value) : secrets.nameFor(server, key, value);
  note(
    canBeKept
      ? `a secret is kept apart, encrypted: ${name}`
      : `a secret is not copied: run signalbox secret set ${name}`,
  );
  return `\${secret:${name}}`;
}

/** What a flag is given is replaced as a whole only when the flag's name says that it is a secret. */
function protectedOption(flag: string, text: string, holder: SecretHolder): string {
  const key = flag.replace(/^-+/, '');
  return isSecretName(key) ? protectedValue(key, text, holder) : protectedText(text, holder);
}

/** A text of its own, which may be an address. */
function protectedText(text: string, holder: SecretHolder): string {
  return /^[a-z]+:\/\/\S+$/i.test(text) ? protectedUrl(text, holder) : withoutPatterns(text, holder);
}
