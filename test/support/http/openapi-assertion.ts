import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { bodyOf } from './http-server.ts';

/** Asserts that a response matches the OpenAPI document of its route, including every field. */
export type AssertDocumented = (method: string, path: string, response: Response) => Promise<void>;

/** Reads the OpenAPI document of a server. */
export async function createOpenApiAssertion(openApi: Promise<Response>): Promise<AssertDocumented> {
  const document = await bodyOf<object>(openApi);
  closeObjects(document);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, 'api');
  return async (method, path, response) => {
    const type = response.headers.get('content-type')?.split(';')[0] ?? '';
    const steps = ['paths', path, method, 'responses', String(response.status), 'content', type, 'schema'];
    const validate = ajv.getSchema(
      `api#/${steps.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`,
    );
    assert.ok(validate, `${method} ${path} ${response.status} ${type} is documented`);
    for (const value of type === 'text/event-stream' ? messagesOf(await response.text()) : [await response.json()])
      assert.ok(validate(value), `${method} ${path} ${response.status}: ${ajv.errorsText(validate.errors)}`);
  };
}

function messagesOf(text: string): unknown[] {
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json) as unknown);
  assert.notEqual(data.length, 0, 'the stream contains messages');
  return data;
}

/** Forbids additional properties in documented objects, so that undocumented fields fail. */
function closeObjects(node: unknown): void {
  if (typeof node !== 'object' || node === null) return;
  if ('properties' in node && 'type' in node && node.type === 'object' && !('additionalProperties' in node))
    Object.assign(node, { additionalProperties: false });
  for (const child of Object.values(node)) closeObjects(child);
}
