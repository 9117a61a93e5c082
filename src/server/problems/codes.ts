/** Every problem the HTTP API answers with: its status and what it is called. Codes are stable; clients may switch on them. */
export const problemCodes = {
  'request-malformed': { status: 400, title: 'The request is not valid HTTP' },
  'request-invalid': { status: 400, title: 'The request does not fit what the route takes' },
  'policy-invalid': { status: 400, title: 'The policy cannot be used' },
  'body-malformed': { status: 400, title: 'The body is not JSON' },
  'token-missing': { status: 401, title: 'A token is needed' },
  'token-wrong': { status: 401, title: 'The token is not valid' },
  'origin-refused': { status: 403, title: 'Requests from other sites are refused' },
  'principal-refused': { status: 403, title: 'Only humans can do this' },
  'approver-refused': { status: 403, title: 'Only humans can answer' },
  'route-unknown': { status: 404, title: 'There is no such route' },
  'tool-unknown': { status: 404, title: 'There is no such tool' },
  'call-unknown': { status: 404, title: 'There is no such call' },
  'server-unknown': { status: 404, title: 'There is no such server' },
  'configuration-absent': { status: 404, title: 'This server does not run from a configuration' },
  'result-unknown': { status: 404, title: 'There is no such kept result' },
  'approval-unknown': { status: 404, title: 'There is no such approval' },
  'rule-unknown': { status: 404, title: 'There is no such remembered rule' },
  'undo-unavailable': { status: 409, title: 'The call cannot be undone' },
  'undo-done': { status: 409, title: 'The call was undone already' },
  'undo-conflict': { status: 409, title: 'What the call changed was changed since' },
  'method-refused': { status: 405, title: 'The route does not take this method' },
  'server-local': { status: 409, title: 'The server is in this process' },
  'server-down': { status: 409, title: 'The server does not answer' },
  'lock-outdated': { status: 409, title: 'The server has changed meanwhile' },
  'configuration-invalid': { status: 409, title: 'A file of the configuration cannot be used' },
  'approval-answered': { status: 409, title: 'The approval has an answer already' },
  'approval-expired': { status: 409, title: 'The approval was not answered in time' },
  'call-settled': { status: 409, title: 'The outcome of the call is known' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'body-type-unsupported': { status: 415, title: 'The body must be JSON' },
  'edit-invalid': { status: 422, title: 'The edited arguments cannot be used' },
  'remember-refused': { status: 422, title: 'The approval cannot be remembered that far' },
  'host-refused': { status: 421, title: 'This server does not answer for that host' },
  'file-unwritable': { status: 500, title: 'A file cannot be written' },
  'internal-fault': { status: 500, title: 'A fault inside Signalbox' },
  'box-closed': { status: 503, title: 'Signalbox is closing' },
  'store-unavailable': { status: 503, title: 'The journal cannot be reached' },
} as const;

/** The code of a problem. */
export type ProblemCode = keyof typeof problemCodes;

/** The status of a problem. */
export type ProblemStatus = (typeof problemCodes)[ProblemCode]['status'];
