import { type Elicitation, type LogMessage, type SamplingRequest, logLevels } from '../../../core/calls/call-client.ts';
import { type JsonObject, isJsonObject } from '../../../core/json/json.ts';
import { RemoteError, isWebAddress } from '../connection/connection-errors.ts';

/** Parses the parameters of an elicitation. Throws a `RemoteError` when they are malformed. */
export function parseElicitation(params: JsonObject): Elicitation {
  const { mode = 'form', message, requestedSchema, url, elicitationId } = params;
  if (typeof message !== 'string') throw malformed('elicitation/create', 'message');
  if (mode === 'url') {
    if (!isWebAddress(url)) throw malformed('elicitation/create', 'url');
    return { mode, message, url, ...(typeof elicitationId === 'string' ? { elicitationId } : {}) };
  }
  if (mode !== 'form') throw malformed('elicitation/create', 'mode');
  if (!isJsonObject(requestedSchema)) throw malformed('elicitation/create', 'requestedSchema');
  return { mode, message, requestedSchema };
}

/** Parses the parameters of a sampling request. Throws a `RemoteError` when they are malformed. */
export function parseSamplingRequest(params: JsonObject): SamplingRequest {
  if (!Array.isArray(params['messages'])) throw malformed('sampling/createMessage', 'messages');
  if (typeof params['maxTokens'] !== 'number') throw malformed('sampling/createMessage', 'maxTokens');
  return params as SamplingRequest;
}

/** Parses a log message. An unknown level becomes `info`. */
export function parseLogMessage({ level, logger, data = null }: JsonObject): LogMessage {
  return {
    level: logLevels.find((each) => each === level) ?? 'info',
    ...(typeof logger === 'string' ? { logger } : {}),
    data,
  };
}

function malformed(method: string, part: string): RemoteError {
  return new RemoteError(-32_602, `${method} has no usable "${part}"`);
}
