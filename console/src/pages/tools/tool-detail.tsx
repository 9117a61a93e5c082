import type { ReactNode } from 'react';
import type { Catalog, Tool } from '../../api/schema.ts';
import { Link } from '../../app/router.tsx';
import { Badge, EffectBadge } from '../../components/badge.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { JsonView } from '../../components/text/json-view.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { HiddenDetail } from './hidden-detail.tsx';
import { SchemaView } from './schema-view.tsx';
import { TryTool } from './try-tool.tsx';
import { useToolTrial } from './use-tool-trial.ts';

/** One tool of the catalog, available or hidden. */
export function ToolDetail({ name, catalog }: { readonly name: string; readonly catalog: Catalog }): ReactNode {
  const tool = catalog.items.find((each) => each.name === name);
  const hidden = catalog.hidden.filter((each) => each.name === name);
  if (tool === undefined && hidden.length === 0)
    return (
      <EmptyState icon="question" title="Tool not found">
        <p>
          <code>{name}</code> is not in the catalog.
        </p>
      </EmptyState>
    );
  return (
    <>
      {tool === undefined ? undefined : (
        <OfferedTool
          tool={tool}
          notices={catalog.notices.filter((each) => each.tool === name).map(({ message }) => message)}
        />
      )}
      {hidden.map((each) => (
        <HiddenDetail key={`${each.server} ${each.by}`} hidden={each} servers={catalog.servers} />
      ))}
    </>
  );
}

function OfferedTool({ tool, notices }: { readonly tool: Tool; readonly notices: readonly string[] }): ReactNode {
  const { id, title, description, effect, labels, inputSchema, outputSchema } = tool;
  const tried = useToolTrial(tool);
  return (
    <article className="detail">
      <header className="detail-head">
        <h2>{id.tool}</h2>
        <EffectBadge effect={effect} />
        {labels.map((label) => (
          <Badge key={label} tone="gray">
            {label}
          </Badge>
        ))}
      </header>
      {title === undefined || title === id.tool ? undefined : <p className="faint">{title}</p>}
      <p className="tool-about">{description === '' ? 'No description' : description}</p>
      {notices.map((notice) => (
        <p key={notice} className="note amber notice">
          {notice}
        </p>
      ))}
      <Tabs
        label="About the tool"
        tabs={[
          { name: 'Try it', content: () => <TryTool tool={tool} tried={tried} /> },
          { name: 'Arguments', content: () => <SchemaView schema={inputSchema} /> },
          ...(outputSchema === undefined
            ? []
            : [{ name: 'Result', content: () => <SchemaView schema={outputSchema} /> }]),
          { name: 'Details', content: () => <Details tool={tool} /> },
          { name: 'Raw', content: () => <JsonView value={tool} open={3} /> },
        ]}
      />
    </article>
  );
}

function Details({ tool }: { readonly tool: Tool }): ReactNode {
  const { id, name, annotations, idempotent, timeoutMs, definitionHash } = tool;
  const hints = Object.entries(annotations).filter(([, value]) => typeof value === 'boolean');
  return (
    <dl className="detail-facts">
      <dt>Server</dt>
      <dd>
        <Link to={`/servers/${encodeURIComponent(id.server)}`}>{id.server}</Link>
      </dd>
      <dt>Name</dt>
      <dd>
        <code>{name}</code>
      </dd>
      <dt>Idempotent</dt>
      <dd>{idempotent ? 'yes' : 'no'}</dd>
      <dt>Reported hints</dt>
      <dd>{hints.length === 0 ? 'none' : hints.map(([hint, value]) => `${hint}: ${String(value)}`).join(', ')}</dd>
      {timeoutMs === undefined ? undefined : (
        <>
          <dt>Timeout</dt>
          <dd>{timeoutMs / 1000} s</dd>
        </>
      )}
      <dt>Definition</dt>
      <dd>
        <code>{definitionHash}</code>
      </dd>
    </dl>
  );
}
