import type { z } from '@hono/zod-openapi';
import type { TypedResponse } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { JSONParsed } from 'hono/utils/types';
import type { ServerContext } from './server-context.ts';

type JsonResponse<Schema extends z.ZodType, Status extends ContentfulStatusCode> = TypedResponse<
  JSONParsed<z.output<Schema>>,
  Status,
  'json'
>;

/** Responds with JSON. The compiler checks the value against the schema of the API documentation. */
export function json<Schema extends z.ZodType, Status extends ContentfulStatusCode>(
  context: ServerContext,
  schema: Schema,
  value: z.output<Schema>,
  status: Status,
): JsonResponse<Schema, Status> {
  return serializedJson(context, schema, JSON.stringify(value), status);
}

/** Responds with a value of the schema that was serialized before. */
export function serializedJson<Schema extends z.ZodType, Status extends ContentfulStatusCode>(
  context: ServerContext,
  _schema: Schema,
  text: string,
  status: Status,
): JsonResponse<Schema, Status> {
  return context.body(text, status, { 'Content-Type': 'application/json' }) as unknown as JsonResponse<Schema, Status>;
}
