import type { Section } from '../requirement.ts';

const hiding = 'test/attacks/hidden-arguments.test.ts';
const edited = 'test/attacks/edited-approvals.test.ts';
const inbox = 'test/attacks/approvals.test.ts';

/** Approvals: the approver sees everything that will run (H1–H9, H116, H117). */
export const approvals: Section<'H'> = {
  H1: {
    promise: 'redaction in an approval removes nothing but the secret: commands dressed up as secrets are shown whole',
    tests: [
      ...[
        'a private key without an end',
        'a private key around commands',
        'a private key around one word',
        'a key that ends twice',
        'the password of a URL',
        'the password of a URL, with a second command',
        'a bearer token that is a path',
        'a web token that is a host',
      ].map(
        (name) =>
          `${hiding} > secrets in a command, and commands disguised as secrets > ${name}: is shown to the approver in full` as const,
      ),
      `${hiding} > secrets in a command, and commands disguised as secrets > for any text, the shown and the hidden parts together make up the text`,
    ],
  },
  H2: {
    promise:
      'every hidden part is marked with its place, length and kind: API, sessions, command line, MCP clients, library',
    tests: [
      `${hiding} > secrets in a command, and commands disguised as secrets > each secret is marked with its place, length and kind, and the text around it is not`,
      `${hiding} > hidden parts > must be acknowledged in a session as well`,
      `${hiding} > hidden parts > are named to an MCP client, where an approval without the acknowledgement runs nothing`,
      `${hiding} > hidden parts > are passed to the callback of a host, with the complete arguments`,
      'test/e2e/cli-approvals.test.ts > approvals in the CLI > hidden parts are counted, shown on request, and approved only after that or with an acknowledgement',
    ],
  },
  H116: {
    promise:
      'viewers read in approvals and remembered rules what the journal shows them, not the hidden parts of calls',
    tests: [
      `${hiding} > hidden parts > are redacted for viewers in approvals and remembered rules, and visible to approvers`,
    ],
  },
  H117: {
    promise:
      'an edited call runs with exactly the arguments that the human wrote, each hidden value where its placeholder stands, or not at all: HTTP, sessions, command line, library',
    tests: [
      ...[
        'a removed item',
        'swapped items',
        'a changed value beside a hidden key',
        'a removed hidden key',
        'a changed text around hidden parts of all kinds',
      ].map(
        (name) =>
          `${edited} > edited approval of a call with hidden parts > runs exactly the edited arguments: ${name}` as const,
      ),
      ...[
        'is not confused by a repeated call with keys in another order',
        'is refused with the path when a placeholder is unknown, duplicated, changed, or text of the caller',
        'runs nothing when two hidden keys would become one, and the next call asks again',
        'runs nothing when a secret that was registered meanwhile changes the placeholders',
        'is refused when the arguments are hidden as a whole, unless it replaces them',
        'shows a revealed value under the placeholder that the question has for it',
        'runs exactly the edited arguments in a session',
        'runs exactly the edited arguments of a callback of the host',
      ].map((name) => `${edited} > edited approval of a call with hidden parts > ${name}` as const),
      `${edited} > for random arguments and edits, exactly the edited arguments are restored, or the edit is refused`,
      'test/e2e/cli-approvals.test.ts > approvals in the CLI > an edit of arguments with hidden parts runs with the part that the user left, or is refused',
    ],
  },
  H3: {
    promise:
      'a call with hidden parts that are not registered secrets is approved only after the same human revealed or acknowledged them, and the journal records which',
    tests: [
      `${hiding} > hidden parts > must be revealed by the approving human or acknowledged before an approval, unless they are registered values`,
      `${hiding} > hidden parts > that are registered values need neither, and no reveal shows them`,
      `${hiding} > hidden parts > are revealed neither to agents and viewers, nor to an agent that calls the library`,
      `${hiding} > hidden parts > are only stored encrypted, and deleted once the request is answered`,
    ],
  },
  H4: {
    promise: 'the digest in the journal proves what ran, also where its arguments are redacted',
    tests: [
      `${hiding} > digest of the arguments in the journal > proves which arguments ran, even where they are redacted`,
      `${hiding} > digest of the arguments in the journal > is recorded for a read only if its entry does not contain all its arguments`,
    ],
  },
  H5: {
    promise: 'arguments too long to store or to show are not approved unseen',
    tests: [
      `${hiding} > hidden parts > cover arguments that are too long to store as a whole, which must be revealed before an approval`,
      `${hiding} > hidden parts > are named to an MCP client, where an approval without the acknowledgement runs nothing`,
    ],
  },
  H6: {
    promise: 'a flood of questions by one caller does not hide those of another',
    tests: [
      `${inbox} > flood of approval requests > does not hide the request of another caller: pages reach every request, and each caller is counted`,
    ],
  },
  H7: {
    promise: 'a yes that cannot be remembered runs the call once and says that it was not remembered',
    tests: [
      `${inbox} > approval that cannot be remembered > runs the call once, and reports that it was not remembered`,
      `${inbox} > approval that cannot be remembered > runs the call once if the host’s callback gives it`,
    ],
  },
  H8: {
    promise: 'the inbox says when the caller is gone; nothing then claims that the call ran or was taken back',
    tests: [
      `${inbox} > caller that gave up > is shown as gone; approving runs nothing, and no page claims that something ran or was undone`,
    ],
  },
  H9: {
    promise: 'an unrelated change of the rules ends no answer; one that matters is named in the next question',
    tests: [
      `${inbox} > policy change between approval and call > an unrelated rule does not void an approval`,
      `${inbox} > policy change between approval and call > a rule with another reason or another text voids the approval, and the next request names the rule`,
      `${inbox} > policy change between approval and call > an approval during a policy change runs the waiting call only if it still answers the rules`,
    ],
  },
};
