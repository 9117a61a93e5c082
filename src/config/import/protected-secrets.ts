import { type JsonObject, isJsonObject } from '../../core/json/json.ts';
import { minSecretLength } from '../../redaction/redactor.ts';
import { replaceSecretPatterns } from '../../redaction/secret-patterns.ts';
import { authorizationScheme, isSecretName, isLikelySecret } from '../secrets/secret-detection.ts';
import type { ImportedSecrets } from './imported-secrets.ts';

/** The server whose texts are processed, and a receiver of notes for the user. */
export interface SecretHolder {
  readonly server: string;
  /** Names the secrets that references replace. */
  readonly secrets: ImportedSecrets;
  note(text: string): void;
}

/** Replaces a secret in the value of a variable or header by a reference. */
export function protectedValue(key: string, value: string, holder: SecretHolder): string {
  const text = withoutSecretDefaults(key, value, holder);
  if (!isLikelySecret(key, text)) return text;
  const scheme = authorizationScheme.exec(text)?.[0] ?? '';
  // The secret in an authorization header is named after its token.
  const name = /^authorization$/i.test(key) ? 'TOKEN' : key;
  return scheme + reference(name, text.slice(scheme.length), holder);
}

/** Replaces secrets in the arguments of a command by references. */
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

/** Replaces the password and secrets in the query of an address by references. */
export function protectedUrl(url: string, holder: SecretHolder): string {
  const withoutQuerySecrets = url.replaceAll(
    /([?&])([^=&#?/:@\s]+)=([^&#]+)/g,
    (_whole, mark: string, key: string, value: string) => {
      return `${mark}${key}=${protectedValue(key, value, holder)}`;
    },
  );
  return withoutPatterns(withoutQuerySecrets, holder);
}

/** Replaces everything in a text that has the format of a secret by references. */
export function withoutPatterns(text: string, holder: SecretHolder): string {
  // Masks references in a form that matches no secret pattern.
  const masks: { readonly shown: string; readonly original: string }[] = [];
  const mask = (shown: string, original: string): string => `[redacted:${masks.push({ shown, original }) - 1}]`;
  const unmasked = (masked: string, which: 'shown' | 'original'): string =>
    masked.replaceAll(/\[redacted:(\d+)\]/g, (whole, index: string) => masks[Number(index)]?.[which] ?? whole);
  const masked = text.replaceAll(/\$\{[^}]*\}/g, (whole) => mask(whole, whole));
  const clean = replaceSecretPatterns(masked, (name, token) => {
    // Part of the secret may have been masked already.
    const original = unmasked(token, 'original');
    return mask(reference(name, original, holder), original);
  });
  return unmasked(clean, 'shown');
}

/** Removes secrets from default values, as in `${env:TOKEN:-SECRET}`. */
function withoutSecretDefaults(key: string, value: string, { note }: SecretHolder): string {
  return value.replaceAll(/\$\{env:([^}:]+):-([^}]+)\}/g, (whole, name: string, fallback: string) => {
    if (!isSecretName(name) && !isLikelySecret(key, fallback)) return whole;
    note(`the default of ${name} looks like a secret and is not copied: set the environment variable ${name}`);
    return `\${env:${name}}`;
  });
}

function reference(key: string, value: string, { server, secrets, note }: SecretHolder): string {
  // A text with references has no final value yet.
  const canBeStored = value.length >= minSecretLength && !/\$\{|\0/.test(value) && value.isWellFormed();
  const name = canBeStored ? secrets.collect(server, key, value) : secrets.nameFor(server, key, value);
  note(
    canBeStored ? `a secret is stored encrypted: ${name}` : `a secret is not copied: run signalbox secret set ${name}`,
  );
  return `\${secret:${name}}`;
}

/** Replaces the whole value of an option only if the name of the option is that of a secret. */
function protectedOption(flag: string, text: string, holder: SecretHolder): string {
  const key = flag.replace(/^-+/, '');
  return isSecretName(key) ? protectedValue(key, text, holder) : protectedText(text, holder);
}

/** Replaces secrets in an argument that may be an address. */
function protectedText(text: string, holder: SecretHolder): string {
  return /^[a-z]+:\/\/\S+$/i.test(text) ? protectedUrl(text, holder) : withoutPatterns(text, holder);
}

/** An entry in which references replace the secrets, with notes for the user. */
export interface ProtectedEntry {
  readonly entry: JsonObject;
  readonly notes: readonly string[];
}

/** Replaces the secrets in the entry of a new server by references. Leaves parts of an unexpected shape to the validation. */
export function protectedEntry(server: string, entry: JsonObject, secrets: ImportedSecrets): ProtectedEntry {
  const notes: string[] = [];
  const holder: SecretHolder = { server, secrets, note: (text) => void notes.push(text) };
  const { env, headers, args, url, auth } = entry;
  const isTexts = Array.isArray(args) && args.every((each) => typeof each === 'string');
  const safe: JsonObject = {
    ...entry,
    ...(isJsonObject(env) ? { env: protectedValues(env, holder) } : {}),
    ...(isJsonObject(headers) ? { headers: protectedValues(headers, holder) } : {}),
    ...(isTexts ? { args: protectedArguments(args, holder) } : {}),
    ...(typeof url === 'string' ? { url: protectedUrl(url, holder) } : {}),
    ...(isJsonObject(auth) ? { auth: protectedValues(auth, holder) } : {}),
  };
  return { entry: safe, notes };
}

function protectedValues(values: JsonObject, holder: SecretHolder): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      typeof value === 'string' ? protectedValue(key, value, holder) : value,
    ]),
  );
}
