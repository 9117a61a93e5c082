import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const ivBytes = 12;
const tagBytes = 16;
const longest = 1024;

/**
 * Seals what a client carries from one round to the next: it can neither read nor change it, and what was sealed for another
 * principal or another request does not open. The key lives as long as the process, like the calls that wait.
 */
export class StateSeal {
  readonly #key = randomBytes(32);

  seal(text: string, boundTo: string): string {
    const iv = randomBytes(ivBytes);
    const cipher = createCipheriv(algorithm, this.#key, iv).setAAD(Buffer.from(boundTo));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
  }

  /** What was sealed; `undefined` when it was not sealed here, or for something else. */
  open(state: string, boundTo: string): string | undefined {
    if (state.length > longest) return undefined;
    const bytes = Buffer.from(state, 'base64url');
    // The decoder passes over what is no base64; then the text is not the one that was given out.
    if (bytes.length <= ivBytes + tagBytes || bytes.toString('base64url') !== state) return undefined;
    try {
      const decipher = createDecipheriv(algorithm, this.#key, bytes.subarray(0, ivBytes), { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(boundTo)).setAuthTag(bytes.subarray(ivBytes, ivBytes + tagBytes));
      return decipher.update(bytes.subarray(ivBytes + tagBytes), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      return undefined;
    }
  }
}
