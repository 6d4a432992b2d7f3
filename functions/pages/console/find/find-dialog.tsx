import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { buildHref, navigate } from '../address.tsx';
import { listSections } from '../agents/sections.ts';
import { callFilters } from '../calls/call-columns.tsx';
import { useAgentChoices } from '../components/agent-filter.tsx';
import { announce } from '../components/announcements.tsx';
import { Dialog } from '../components/dialog.tsx';
import { useTypedNumber } from '../components/typed-number.ts';
import { formatPhone } from '../formats.ts';
import { useAllPages, useService } from '../service.tsx';
import type { View } from '../views.ts';

type Found = { kind: string; name: string; open(): void | Promise<void> };

/** The maximum number of results of a kind, and of agents in which a call is looked for by its id. */
const maxOfKind = 5;
const maxAgents = 50;

/** Finds views, agents, clients, calls and numbers, and leads to the search of the documentation. */
const FindDialog = ({ views, onClose }: { views: View[]; onClose(): void }) => {
  const id = useId();
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const found = useFound(views, text.trim());
  const choose = (result: Found | undefined) => {
    if (!result) return;
    onClose();
    void result.open();
  };
  const move = (place: number) => {
    setActive(place);
    list.current?.querySelectorAll('[role="option"]')[place]?.scrollIntoView({ block: 'nearest' });
  };
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') move(Math.min(active + 1, found.length - 1));
    else if (event.key === 'ArrowUp') move(Math.max(active - 1, 0));
    else if (event.key === 'Enter') choose(found[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Find" isKept={false} isFleeting onClose={onClose}>
      <form className="find" onSubmit={(event) => event.preventDefault()}>
        <input
          role="combobox"
          aria-label="Find"
          aria-expanded
          aria-controls={`${id}-list`}
          aria-activedescendant={found[active] && `${id}-${active}`}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck="false"
          placeholder="An agent, a number, a call, a page …"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setActive(0);
          }}
          onKeyDown={press}
        />
        <div id={`${id}-list`} role="listbox" aria-label="Results" ref={list}>
          {found.map(({ kind, name }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys go to the field, as in every combobox
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: a result is its place
              key={index}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === active}
              className={index === active ? 'active' : undefined}
              onClick={() => choose(found[index])}
            >
              <bdi>{name}</bdi> <span className="faint">{kind}</span>
            </div>
          ))}
        </div>
      </form>
    </Dialog>
  );
};

/** Returns what a text finds, by kind. */
const useFound = (views: View[], text: string): Found[] => {
  const service = useService();
  const { api, scopes } = service;
  const agents = useAgentChoices().data ?? [];
  const clients = useAllPages(['clients', 'all'], (api, options) => api.users.list({ limit: 500 }, options), {
    enabled: scopes.includes('users'),
  }).data;
  const number = useTypedNumber(undefined)(text);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (name: string) => words.every((word) => name.toLowerCase().includes(word));
  const to = (view: string, filters = {}) => {
    return () => navigate(buildHref(view, filters));
  };
  const ofViews = views
    .filter(({ name }) => has(name))
    .map(({ path, name }) => ({ kind: 'View', name, open: to(path) }));
  if (words.length === 0) return ofViews;
  const digits = text.replace(/\D/g, '');
  const ofAgents = agents
    .filter(
      ({ name, agentId, phoneNumber = '' }) =>
        has(name) || agentId === text || (digits.length > 3 && phoneNumber.includes(digits)),
    )
    .map(({ agentId, name }) => ({ kind: 'Agent', name, open: to('agents', { agentId }) }));
  // The name of an agent with that of a part of the console, such as “front desk connect”.
  const ofParts = agents
    .filter(({ name }) => !has(name))
    .flatMap((agent) => {
      const { agentId, name } = agent;
      const parts = [
        ...listSections(agent, service).map(({ path, label }) => {
          return { label, open: to('agents', { agentId, section: path }) };
        }),
        ...views
          .filter(({ isOfAgent }) => isOfAgent)
          .map((view) => ({ label: view.name, open: to(view.path, { agentId }) })),
      ];
      return parts
        .filter(({ label }) => has(`${name} ${label}`))
        .map(({ label, open }) => ({ kind: 'Agent', name: `${name}: ${label}`, open }));
    });
  const ofClients = (clients ?? [])
    .filter(({ uid, name = '' }) => has(name) || uid === text)
    .map(({ uid, name = uid }) => ({ kind: 'Client', name, open: to('clients', { client: uid }) }));
  const ofNumbers: Found[] = /^\+\d{7,}$/.test(number)
    ? [
        ...(scopes.includes('calls')
          ? [{ kind: 'Calls', name: `Calls with ${formatPhone(number)}`, open: to('calls', { phone: number }) }]
          : []),
        ...(scopes.includes('block-list')
          ? [{ kind: 'Number', name: formatPhone(number), open: to('numbers', { number }) }]
          : []),
      ]
    : [];
  const openCall = async () => {
    const asked = agents.slice(0, maxAgents).map(({ agentId }) => api.calls.get({ agentId, callIdOrPhone: text }));
    const calls = await Promise.all(asked.map((call) => call.catch(() => undefined)));
    const call = calls.find((result) => result?.data)?.data;
    if (call) navigate(buildHref('calls', callFilters(call)));
    else announce(`No call has the id ${text}.`);
  };
  const isId = scopes.includes('calls') && /^\S*[\d]\S*$/.test(text) && text.length > 3 && ofNumbers.length === 0;
  const ofCalls: Found[] = isId ? [{ kind: 'Call', name: `Open the call ${text}`, open: openCall }] : [];
  const ofDocs: Found[] = [
    {
      kind: 'Documentation',
      name: `Search for “${text}”`,
      open: () => location.assign(`/docs?q=${encodeURIComponent(text)}`),
    },
  ];
  return [ofNumbers, ofViews, ofAgents, ofParts, ofClients, ofCalls, ofDocs].flatMap((kind) =>
    kind.slice(0, maxOfKind),
  );
};

export default FindDialog;
