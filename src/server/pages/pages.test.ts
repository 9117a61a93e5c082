import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { startTestServer, type TestServer } from '../../../test/support/http-server.ts';
import type { CatalogSnapshot } from '../../catalog/snapshot.ts';
import type { Approval } from '../../model/approval.ts';
import type { ToolDefinition } from '../../model/tool.ts';
import { homePage } from './home.ts';
import { schemaText } from './schema-text.ts';
import { script } from './script.ts';

const hostile = `"><script>alert('x')</script><img src=x onerror=alert(1)>&`;

describe('the first page', () => {
  it('lists the tools with server, effect and description', async (test) => {
    const { server, signIn, box } = await startTestServer(test);
    const response = await fetch(server.url, { headers: { cookie: await signIn() } });
    const page = await response.text();
    for (const { name } of box.tools()) assert.ok(page.includes(`<code>${name}</code>`), name);
    assert.match(page, /mcp__test__burn.*class="badge irreversible">irreversible<.*Cannot be undone\./s);
    assert.match(page, /<button id="run" type="button" data-tool="mcp__signalbox__ping">/);
    assert.match(page, /<html lang="en">.*name="viewport"/s);
  });

  it('renders what tools say as text', async (test) => {
    const { server, signIn } = await startTestServer(test);
    const page = await (await fetch(server.url, { headers: { cookie: await signIn() } })).text();
    assert.ok(
      page.includes('&lt;script&gt;alert(&quot;description&quot;)&lt;/script&gt; &amp; &lt;b&gt;bold&lt;/b&gt;'),
    );
    assert.equal(page.match(/<script/g)?.length, 1, 'only the page’s own script');
  });

  it('escapes hostile names and reasons wherever they stand', async () => {
    const tool = {
      id: { server: hostile, tool: 'ping' },
      name: hostile,
      description: hostile,
      effect: 'read',
    } as ToolDefinition;
    const catalog: CatalogSnapshot = {
      version: 1,
      tools: [tool],
      servers: [{ name: hostile, adapter: hostile, status: 'down', since: 0, reason: hostile, tools: 0 }],
      hidden: [{ name: hostile, server: hostile, by: 'server-down', reason: hostile, since: 0 }],
      notices: [],
    };
    const approval = {
      id: hostile,
      tool: hostile,
      effect: 'read',
      principal: { id: hostile, kind: 'agent' },
      decision: { answer: 'ask', rule: hostile, reason: hostile },
      arguments: { [hostile]: hostile },
    } as unknown as Approval;
    const page = String(await homePage({ version: hostile, journal: hostile, catalog, waiting: [approval] }));
    assert.doesNotMatch(page, /<img|<script>|alert\('x'\)<\/script>/);
    assert.ok((page.match(/&quot;&gt;&lt;script&gt;/g)?.length ?? 0) >= 15);
  });

  it('comes with a policy under which only our own files run', async (test) => {
    const { get } = await startTestServer(test);
    for (const path of ['/', '/docs', '/api/tools', '/nowhere', '/api/health']) {
      const { headers } = await get(path);
      const policy = headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/);
      assert.match(policy, /base-uri 'none'; form-action 'self'; frame-ancestors 'none'/);
      assert.doesNotMatch(policy, /unsafe/);
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
      assert.equal(headers.get('referrer-policy'), 'no-referrer');
      assert.equal(headers.get('cache-control'), 'no-store');
    }
    const page = await (await get('/')).text();
    assert.doesNotMatch(page, / style=| on\w+=|javascript:/);
  });

  it('serves its script and stylesheet as what they are', async (test) => {
    const { get } = await startTestServer(test);
    assert.equal((await get('/assets/page.js')).headers.get('content-type'), 'text/javascript; charset=utf-8');
    assert.equal((await get('/assets/page.css')).headers.get('content-type'), 'text/css; charset=utf-8');
  });
});

describe('the script of the page', () => {
  it('runs ping and shows outcome, decision and place in the journal', async (test) => {
    const server = await startTestServer(test);
    const shown = await clickRun(server, 'mcp__signalbox__ping');
    assert.match(shown.status, /on the record/);
    const entry = (await server.box.journal.calls()).items[0];
    assert.equal(shown.facts['Outcome'], 'completed');
    assert.match(shown.facts['Answer'] ?? '', /pong/);
    assert.match(shown.facts['Decision'] ?? '', /^allow by rule default:read/);
    assert.ok(entry !== undefined && shown.facts['Journal entry']?.startsWith(`#${entry.seq} `));
    assert.equal(shown.facts['Hash'], entry?.hash);
  });

  for (const [what, told, outcome] of [
    ['approve', 'Approved.', 'completed'],
    ['deny', 'Denied.', 'denied'],
  ] as const)
    it(`answers a call that waits: ${what}`, async (test) => {
      const served = await startTestServer(test);
      const call = served.box.call('mcp__test__burn', {});
      while ((await served.box.approvals.list()).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const page = await (await fetch(served.server.url, { headers: { cookie: await served.signIn() } })).text();
      assert.match(page, /1 call waits for you.*<code>mcp__test__burn<\/code>/s);
      const [, path = '', id = ''] =
        new RegExp(`data-answer="(\\S+/${what})" aria-describedby="(\\S+)"`).exec(page) ?? [];
      const [button, line] = [new Element(), new Element()];
      button.dataset['answer'] = path;
      button.describedBy = id;
      await inBrowser(served, { [id]: line }, [button]);
      await button.onClick();
      assert.equal(line.textContent, told);
      assert.equal((await call).outcome, outcome);
      await button.onClick();
      assert.match(line.textContent, /^The approval has an answer already: /);
      const after = await (await fetch(served.server.url, { headers: { cookie: await served.signIn() } })).text();
      assert.doesNotMatch(after, /data-answer/);
    });

  it('says why when it cannot', async (test) => {
    const server = await startTestServer(test);
    await server.box.close();
    const shown = await clickRun(server, 'mcp__signalbox__ping');
    assert.match(shown.status, /^That did not work. Signalbox is closing: /);
  });
});

describe('schemaText', () => {
  it('writes schemas down as types', () => {
    const schema = {
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'array', items: { anyOf: [{ type: 'string' }, { $ref: '#/components/schemas/Tool' }] } },
        b: { enum: [1, 'x'], description: 'One of.' },
      },
    };
    assert.equal(schemaText(schema), '{\n  a: (string | Tool)[]\n  b?: 1 | "x"  // One of.\n}');
    assert.equal(schemaText({}), 'any JSON');
  });
});

/** Just enough of a document for the script; the console is tested in a real browser. */
class Element {
  textContent = '';
  className = '';
  disabled = false;
  dataset: Record<string, string> = {};
  children: Element[] = [];
  onClick: () => Promise<void> = () => Promise.resolve();
  append(...children: Element[]): void {
    this.children.push(...children);
  }
  replaceChildren(): void {
    this.children = [];
  }
  describedBy = '';
  focus(): void {}
  getAttribute(_name: 'aria-describedby'): string {
    return this.describedBy;
  }
  addEventListener(_type: string, listener: () => Promise<void>): void {
    this.onClick = listener;
  }
}

/** Runs the script on a page of these elements. */
async function inBrowser(
  { server, signIn }: TestServer,
  elements: Readonly<Record<string, Element>>,
  answers: readonly Element[] = [],
): Promise<void> {
  const headers = { cookie: await signIn(), origin: server.url };
  runInNewContext(script, {
    document: {
      getElementById: (id: string) => elements[id],
      createElement: () => new Element(),
      querySelectorAll: () => answers,
    },
    fetch: (path: string, init: RequestInit = {}) =>
      fetch(server.url + path, { ...init, headers: { ...(init.headers as Record<string, string>), ...headers } }),
    encodeURIComponent,
  });
}

async function clickRun(served: TestServer, tool: string): Promise<{ status: string; facts: Record<string, string> }> {
  const [run, facts, status] = [new Element(), new Element(), new Element()];
  run.dataset['tool'] = tool;
  await inBrowser(served, { run, facts, status });
  await run.onClick();
  const shown: Record<string, string> = {};
  for (let index = 0; index < facts.children.length; index += 2) {
    shown[facts.children[index]?.textContent ?? ''] = facts.children[index + 1]?.children[0]?.textContent ?? '';
  }
  return { status: status.textContent, facts: shown };
}
