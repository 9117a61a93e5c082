import type { Elicitation, ElicitationAnswer, SamplingAnswer } from '../../core/calls/call-client.ts';
import { getOrInsert } from '../../core/get-or-insert.ts';
import { type JsonObject, type JsonValue, inspectJson, isJsonObject } from '../../core/json/json.ts';
import { SchemaCompiler } from './schema-compiler.ts';

const maxAnswerLength = 1024 * 1024;

/** Returns an answer that is valid and matches the requested schema. Throws for any other answer, without including its values. */
export function checkedElicitation(request: Elicitation, answer: unknown): ElicitationAnswer {
  const given = jsonOf(answer, 'the answer');
  const action = isJsonObject(given) ? given['action'] : undefined;
  if (action === 'decline' || action === 'cancel') return { action };
  if (action !== 'accept' || !isJsonObject(given))
    throw new Error('the answer has no "action" of "accept", "decline" or "cancel"');
  if (request.mode === 'url') return { action };
  const content = given['content'] ?? {};
  if (!isJsonObject(content)) throw new Error('the content of the answer is not an object');
  const compiled = compileCached(request.requestedSchema);
  if (!compiled.ok) throw new Error(`the requested schema cannot be compiled: ${compiled.reason}`);
  const problems = compiled.validate(content);
  if (problems !== undefined) {
    const details = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
    throw new Error(`the answer does not match the requested schema: ${details}`);
  }
  return { action, content };
}

const compiledSchemas = new WeakMap<JsonObject, ReturnType<SchemaCompiler['compile']>>();

/** Uses a separate compiler, because a server may send a new schema each time and schemas must stay isolated. Takes about 2 ms, once the compiler is loaded. */
function compileCached(schema: JsonObject): ReturnType<SchemaCompiler['compile']> {
  return getOrInsert(compiledSchemas, schema, () => new SchemaCompiler().compile(schema));
}

/** Returns the answer of a model. Throws when it is not a valid sampled message. */
export function checkedSample(answer: unknown): SamplingAnswer {
  const given = jsonOf(answer, 'the sampled message');
  const { role, model, content } = isJsonObject(given) ? given : {};
  if (typeof role !== 'string' || typeof model !== 'string' || typeof content !== 'object' || content === null)
    throw new Error('the sampled message lacks "role", "model" or "content"');
  return given as SamplingAnswer;
}

function jsonOf(value: unknown, what: string): JsonValue {
  const inspection = inspectJson(value, maxAnswerLength);
  if (!inspection.ok) throw new Error(`${what} is not JSON: ${inspection.problem} (at ${inspection.path})`);
  return value as JsonValue;
}
