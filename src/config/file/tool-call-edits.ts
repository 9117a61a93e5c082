import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SignalboxError } from '../../core/errors.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json/json.ts';
import { replaceFile } from './atomic-file.ts';
import { editConfiguration } from './edit-configuration.ts';
import { parseJsonDocument } from './json-document.ts';
import { redactedDocument } from './redacted-document.ts';

/** The text of the file before and after a call; `null` when it did not exist. */
interface StoredEdit {
  readonly before: string | null;
  readonly after: string | null;
}

const retentionMs = 7 * 24 * 60 * 60 * 1000;

/** Lets tool calls read and edit a configuration file, and undoes the edit of a call unless the file has changed since. */
export class ToolCallEdits {
  readonly #file: () => string;
  readonly #directory: string;
  readonly #redact: (text: string) => string;
  readonly #onEdit: (before: string | null, after: string | null) => void;

  /** `directory` stores the edits; `redact` removes known secrets from a JSON text; `onEdit` receives the text before and after each edit. */
  constructor(
    file: () => string,
    directory: string,
    redact: (text: string) => string,
    onEdit: (before: string | null, after: string | null) => void = () => undefined,
  ) {
    this.#file = file;
    this.#directory = directory;
    this.#redact = redact;
    this.#onEdit = onEdit;
  }

  get file(): string {
    return this.#file();
  }

  read(): JsonObject {
    const { value } = parseJsonDocument(textOf(this.file) ?? '{}');
    if (!isJsonObject(value))
      throw new SignalboxError('setting-unknown', `${this.file} is not valid; run signalbox doctor`);
    return JSON.parse(this.#redact(JSON.stringify(redactedDocument(value)))) as JsonObject;
  }

  change(callId: string, path: readonly string[], value: JsonValue | undefined): void {
    const before = textOf(this.file);
    this.#deleteOld();
    this.#storeEdit(callId, { before, after: before });
    // Stored before the file is written, so that the edit can be undone if the process dies in between.
    editConfiguration(this.file, [{ path, value }], (after) => {
      this.#storeEdit(callId, { before, after });
      this.#onEdit(before, after);
    });
  }

  undo(callId: string, isUnfinished: boolean): void {
    const stored = textOf(this.#place(callId));
    if (stored === null && isUnfinished) return;
    if (stored === null) throw unavailable(`the content of ${this.file} before ${callId} is no longer stored`);
    const { before, after } = JSON.parse(stored) as StoredEdit;
    const now = textOf(this.file);
    if (now === before) return;
    if (now !== after)
      throw unavailable(
        `${this.file} was changed since ${callId} and is not restored; change the setting back in the file`,
      );
    this.#onEdit(after, before);
    const target = realpathSync(this.file);
    if (before === null) rmSync(target);
    else replaceFile(target, before, statSync(target).mode);
  }

  #storeEdit(callId: string, edit: StoredEdit): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    replaceFile(this.#place(callId), JSON.stringify(edit), 0o600);
  }

  #place(callId: string): string {
    return join(this.#directory, `${callId}.json`);
  }

  #deleteOld(): void {
    if (!existsSync(this.#directory)) return;
    for (const name of readdirSync(this.#directory)) {
      const edit = join(this.#directory, name);
      if (statSync(edit).mtimeMs < Date.now() - retentionMs) rmSync(edit);
    }
  }
}

function textOf(file: string): string | null {
  return existsSync(file) ? readFileSync(file, 'utf8') : null;
}

function unavailable(message: string): SignalboxError {
  return new SignalboxError('undo-unavailable', message);
}
