import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { queries } from '../../api/queries.ts';
import { navigate } from '../../app/router.tsx';
import { Button } from '../../parts/button.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { type CallFilters, callsAddress, spans } from './filters.ts';
import { outcomeNames } from './outcome-names.ts';

const typingMs = 300;

/** Narrows the calls. The charts are counted by time, server and tool only. */
export function CallFilterBar({ filters, view }: { readonly filters: CallFilters; readonly view: string }): ReactNode {
  const { data: servers = [] } = useQuery(queries.servers());
  const { data: catalog } = useQuery(queries.tools());
  const { data: sessions = [] } = useQuery(queries.recentSessions());
  const change = (changed: CallFilters): void =>
    navigate(callsAddress({ ...filters, ...changed }, view), { replace: true });
  const { server, tool, outcome, decision, session, principal, last, since, until } = filters;
  const tools = (catalog?.items ?? []).filter((each) => server === undefined || each.id.server === server);
  const isCounted = view === 'charts';
  const isWindow = since !== undefined || until !== undefined;
  return (
    <div className="call-filters" role="search" aria-label="Filter the calls">
      {isCounted ? undefined : (
        <TypedFilter
          name="text"
          label="Search calls"
          value={filters.text ?? ''}
          onChange={(text) => change({ text })}
        />
      )}
      <Choice
        label="Time"
        all={isCounted ? 'The last day' : 'All the time'}
        value={isWindow ? 'window' : (last ?? '')}
        values={[...Object.entries(spans).map(([value, { name }]) => [value, name] as const), ['window', 'Between…']]}
        onChange={(value) =>
          change(value === 'window' ? { last: '', ...dayBefore() } : { last: value, since: '', until: '' })
        }
      />
      {isWindow ? (
        <>
          <TimeField label="From" value={since} onChange={(value) => change({ last: '', since: value })} />
          <TimeField label="Until" value={until} onChange={(value) => change({ last: '', until: value })} />
        </>
      ) : undefined}
      <Choice
        label="Server"
        all="All servers"
        value={server ?? ''}
        values={servers.map(({ name }) => [name, name])}
        onChange={(value) => change({ server: value, tool: '' })}
      />
      <Choice
        label="Tool"
        all="All tools"
        value={tool ?? ''}
        values={tools.map((each) => [each.name, server === undefined ? each.name : each.id.tool])}
        onChange={(value) => change({ tool: value })}
      />
      {isCounted ? undefined : (
        <>
          <Choice
            label="Outcome"
            all="All outcomes"
            value={outcome ?? ''}
            values={outcomeNames.map((each) => [each, each])}
            onChange={(value) => change({ outcome: value })}
          />
          <Choice
            label="Decision"
            all="All decisions"
            value={decision ?? ''}
            values={['allow', 'ask', 'deny'].map((each) => [each, each])}
            onChange={(value) => change({ decision: value })}
          />
          <TypedFilter
            name="principal"
            label="Principal"
            value={principal ?? ''}
            onChange={(value) => change({ principal: value })}
          />
        </>
      )}
      {isCounted || (sessions.length === 0 && session === undefined) ? undefined : (
        <Choice
          label="Session"
          all="All sessions"
          value={session ?? ''}
          values={sessions.map(({ id, title }) => [id, title])}
          onChange={(value) => change({ session: value })}
        />
      )}
      {Object.keys(filters).length === 0 ? undefined : (
        <Button kind="quiet" onClick={() => navigate(callsAddress({}, view), { replace: true })}>
          Clear
        </Button>
      )}
    </div>
  );
}

function Choice({
  label,
  all,
  value,
  values,
  onChange,
}: {
  readonly label: string;
  readonly all: string;
  readonly value: string;
  readonly values: readonly (readonly [value: string, name: string])[];
  readonly onChange: (value: string) => void;
}): ReactNode {
  // What is gone from the catalog may still be in the journal.
  const isListed = value === '' || values.some(([each]) => each === value);
  return (
    <label className="choice">
      <span className="unseen">{label}</span>
      <select className={value === '' ? '' : 'chosen'} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{all}</option>
        {isListed ? undefined : <option value={value}>{value}</option>}
        {values.map(([each, name]) => (
          <option key={each} value={each}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Is looked for when the typing pauses. */
function TypedFilter({
  name,
  label,
  value,
  onChange,
}: {
  readonly name: 'text' | 'principal';
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const [typed, setTyped] = useState(value);
  const [given, setGiven] = useState(value);
  // The address was changed elsewhere.
  if (given !== value) {
    setGiven(value);
    if (typed.trim() !== value) setTyped(value);
  }
  const settle = useEffectEvent(() => {
    if (typed.trim() !== value) onChange(typed.trim());
  });
  useEffect(() => {
    const timer = setTimeout(() => settle(), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return name === 'text' ? (
    <SearchField label={label} value={typed} onChange={setTyped} />
  ) : (
    <input
      className="principal"
      aria-label={label}
      placeholder={label}
      maxLength={400}
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

/** A moment by the reader's clock; the address has it in UTC. */
function TimeField({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const at = value === undefined ? Number.NaN : Date.parse(value);
  const local = Number.isNaN(at)
    ? ''
    : new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
  return (
    <input
      className="time-field"
      type="datetime-local"
      step={1}
      aria-label={label}
      value={local}
      onChange={({ target }) => onChange(target.value === '' ? '' : new Date(target.value).toISOString())}
    />
  );
}

function dayBefore(): CallFilters {
  const now = Date.now();
  return { since: new Date(now - 86_400_000).toISOString(), until: new Date(now).toISOString() };
}
