import { QueryClientProvider, useQuery } from '@tanstack/react-query';
import { Fragment, memo, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { dataOf } from '../../openapi/client/client.ts';
import { type Demo, invalidKeyText, saveKey } from '../api-key.ts';
import { ApiKeyField } from '../api-key-field.tsx';
import { load } from '../tab-storage.ts';
import { buildHref, Link, navigate, setFilters, useAddress, useView } from './address.tsx';
import { Announcements } from './components/announcements.tsx';
import { Choice } from './components/fields.tsx';
import { Later } from './components/later.tsx';
import { useHeldCount } from './components/outcome.tsx';
import { Empty, Loaded, Skeleton } from './components/parts.tsx';
import { Picker } from './components/picker.tsx';
import { Time, useTimeZone } from './components/values.tsx';
import { Find, loadFindDialog } from './find/find.tsx';
import { formatNumber, ownTimeZone } from './formats.ts';
import { createApi, newQueryClient, type Service, ServiceContext } from './service.tsx';
import { loadTheme, saveTheme, themes } from './theme.ts';
import { ViewBoundary } from './view-boundary.tsx';
import { type View, views } from './views.ts';

/** The whole page: the key, the navigation, and the view that the address names. */
export const Shell = ({ demo }: { demo: Demo }) => {
  const { apiKey: demoKey } = demo;
  const [apiKey, setApiKey] = useState(() => load('apiKey') ?? demoKey ?? '');
  const [isKeyPanelOpen, setKeyPanelOpen] = useState(false);
  const [invalidKey, setInvalidKey] = useState<string>();
  const changeKey = (key: string) => {
    saveKey(key);
    setInvalidKey(undefined);
    setApiKey(key);
  };
  const keyField = (
    <ApiKeyField
      apiKey={apiKey}
      demoKey={demoKey}
      label="API key"
      note="The console shows what this key may read, and changes what it may change."
      isOpen={isKeyPanelOpen}
      onToggle={setKeyPanelOpen}
      onChange={changeKey}
    />
  );
  const enterKey = () => setKeyPanelOpen(true);
  return (
    <>
      {apiKey === '' ? (
        <>
          <header className="bar">
            <div className="rail">
              <Help />
              {keyField}
            </div>
          </header>
          <NoKey onEnterKey={enterKey} />
        </>
      ) : (
        // Data that was read with one key is not shown to another.
        <Queries key={apiKey} onInvalidKey={() => setInvalidKey(apiKey)}>
          <WithKey
            apiKey={apiKey}
            demo={demo}
            keyField={keyField}
            isKeyPanelOpen={isKeyPanelOpen}
            isKeyInvalid={invalidKey === apiKey}
            onEnterKey={enterKey}
          />
        </Queries>
      )}
      <Announcements />
    </>
  );
};

const Queries = ({ onInvalidKey, children }: { onInvalidKey(): void; children: ReactNode }) => {
  const [queries] = useState(() => newQueryClient(onInvalidKey));
  return <QueryClientProvider client={queries}>{children}</QueryClientProvider>;
};

const NoKey = ({ onEnterKey }: { onEnterKey(): void }) => (
  <main className="welcome" id="view">
    <h1>Console</h1>
    <p>
      See what is going on with your agents, calls, numbers, knowledge and webhooks, and change it. The console needs an
      API key, which the operator of this service makes.
    </p>
    <div className="buttons">
      <button type="button" onClick={onEnterKey}>
        Enter an API key
      </button>
      <a className="quiet" href="/docs/authentication">
        About API keys
      </a>
    </div>
  </main>
);

type WithKeyProps = {
  apiKey: string;
  demo: Demo;
  keyField: ReactNode;
  isKeyPanelOpen: boolean;
  isKeyInvalid: boolean;
  onEnterKey(): void;
};

/** The console once there is a key, which may turn out to be invalid. */
const WithKey = ({ apiKey, demo, keyField, isKeyPanelOpen, isKeyInvalid, onEnterKey }: WithKeyProps) => {
  const key = useQuery({
    queryKey: ['key'],
    queryFn: async ({ signal }) => dataOf(await createApi(apiKey).key.get({ signal })),
  });
  const service = useMemo(
    (): Service | undefined => key.data && { api: createApi(apiKey, key.data.uid), apiKey, demo, ...key.data },
    [apiKey, demo, key.data],
  );
  const permitted = useMemo(() => views.filter(({ scope }) => service?.scopes.includes(scope)), [service]);
  return (
    <ServiceContext value={service}>
      <Header isKeyPanelOpen={isKeyPanelOpen}>
        {service && <Find views={permitted} />}
        {service && <Navigation views={permitted} />}
        <Help />
        {service ? (
          <UserMenu service={service} isKeyPanelOpen={isKeyPanelOpen}>
            {keyField}
          </UserMenu>
        ) : (
          keyField
        )}
      </Header>
      <Visit />
      {isKeyInvalid && (
        <div className="failed key-invalid" role="alert">
          <p>{invalidKeyText}</p>
          <button type="button" className="quiet" onClick={onEnterKey}>
            Enter another key
          </button>
        </div>
      )}
      {service ? (
        <CurrentView permitted={permitted} />
      ) : (
        <main id="view">{!isKeyInvalid && <Loaded query={key}>{() => null}</Loaded>}</main>
      )}
    </ServiceContext>
  );
};

/** The rail, which is behind a button on a phone. A choice closes it there. */
const Header = ({ isKeyPanelOpen, children }: { isKeyPanelOpen: boolean; children: ReactNode }) => {
  const view = useView();
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === view || isKeyPanelOpen;
  return (
    <header className="bar">
      <button
        type="button"
        className="quiet menu"
        aria-expanded={isOpen}
        onClick={() => setOpenAt(isOpen ? undefined : view)}
      >
        Menu: {views.find(({ path }) => path === view)?.name ?? 'Console'}
      </button>
      <div className={isOpen ? 'rail open' : 'rail'}>{children}</div>
    </header>
  );
};

/** Says whose console it is that a maker has opened in this tab. */
const Visit = () => {
  const visit = load('visit');
  return (
    visit && (
      <aside className="visit" aria-label="Whose console it is">
        This is the console of <bdi>{visit.name}</bdi>. Its key ends at <Time at={visit.until} isShort />. Close the tab
        to leave.
      </aside>
    )
  );
};

const Navigation = ({ views }: { views: View[] }) => {
  const { view, filters } = useAddress();
  return (
    <nav aria-label="Console">
      {[...Map.groupBy(views, ({ group }) => group)].map(([group, views]) => (
        <Fragment key={group}>
          <h2 id={group}>{group}</h2>
          <ul aria-labelledby={group}>
            {views.map(({ path, name, icon, isOfAgent }) => (
              <li key={path}>
                <Link
                  view={path}
                  filters={isOfAgent ? { agentId: filters.agentId } : undefined}
                  aria-current={view === path ? 'page' : undefined}
                >
                  <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
                    <path d={icon} />
                  </svg>
                  {name}
                </Link>
                {path === 'calls' && <HeldBadge />}
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
    </nav>
  );
};

const Help = () => (
  <nav aria-label="Help" className="help">
    <a href="/docs">Docs</a>
    <a href="/docs/reference">API reference</a>
  </nav>
);

type UserMenuProps = { service: Service; isKeyPanelOpen: boolean; children: ReactNode };

/** The user, and what holds for all views: the time zone, the theme and the key. */
const UserMenu = ({ service: { uid, userName = uid, name, scopes }, isKeyPanelOpen, children }: UserMenuProps) => {
  const [isOpened, setOpened] = useState(false);
  const isOpen = isOpened || isKeyPanelOpen;
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const closeOutside = (event: Event) => {
      if (!menu.current?.contains(event.target as Node)) setOpened(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [isOpen]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu wherever the focus is in it
    <div
      className="user"
      ref={menu}
      onKeyDown={({ key, defaultPrevented }) => {
        if (key !== 'Escape' || defaultPrevented || !isOpened) return;
        setOpened(false);
        menu.current?.querySelector('button')?.focus();
      }}
    >
      <button type="button" className="quiet" aria-expanded={isOpen} onClick={() => setOpened(!isOpen)}>
        <span className="visually-hidden">Settings of </span>
        <bdi>{userName}</bdi>
        <span className="faint">
          Key <bdi>{name}</bdi>
        </span>
      </button>
      {isOpen && (
        <div className="menu-panel">
          <p className="faint">
            User <code>{uid}</code>, with the scopes {scopes.join(', ')}
          </p>
          <ZoneFilter />
          <ThemeChoice />
          {children}
        </div>
      )}
    </div>
  );
};

const ThemeChoice = () => {
  const [theme, setTheme] = useState(loadTheme);
  const choose = (theme: string) => {
    saveTheme(theme);
    setTheme(theme);
  };
  return <Choice label="Theme" options={themes} value={theme} onChange={choose} />;
};

/** The number of calls whose outcome is held, beside the link to the calls. */
const HeldBadge = () => {
  const held = useHeldCount();
  return (
    held > 0 && (
      <span className="count" title="Held outcomes">
        {formatNumber(held)} <span className="visually-hidden">held outcomes</span>
      </span>
    )
  );
};

/** The time zones, those of the user first. */
const zones = [...new Set([ownTimeZone, 'UTC', ...Intl.supportedValuesOf('timeZone')])].map((zone) => ({
  value: zone,
  label: zone.replaceAll('_', ' '),
}));

/** The time zone of all times and dates on the page. */
const ZoneFilter = () => (
  <Picker
    label="Time zone of the page"
    options={zones}
    value={useTimeZone()}
    onChange={(zone) => setFilters({ timeZone: zone === ownTimeZone ? undefined : zone })}
  />
);

/** Loads the files of views and of *Find* when the page has nothing else to do, so that they do not wait for the network. */
const loadWhenIdle = (all: View[]) => {
  const { connection } = navigator as { connection?: { saveData?: boolean } };
  if (connection?.saveData) return undefined;
  // Safari has no idle callbacks.
  const timer = setTimeout(() => {
    for (const load of [loadFindDialog, ...all.map(({ load }) => load)]) void load().catch(() => {});
  }, idleMilliseconds);
  return () => clearTimeout(timer);
};

const idleMilliseconds = 3000;

/** The view of the address. Another view begins at its top, with the focus on its heading. A panel for another key does not render it again. */
const CurrentView = memo(({ permitted }: { permitted: View[] }) => {
  const path = useView();
  const view = views.find((view) => view.path === path);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the view changes
  useEffect(() => {
    document.title = `${view?.name ?? 'Console'} · Voice Agent Platform`;
    if (!isFirst.current) main.current?.focus();
    isFirst.current = false;
  }, [path]);
  // What had the focus may be gone with the address, such as the link to an agent with the list of agents.
  useEffect(() => {
    const keepFocus = () =>
      requestAnimationFrame(() => {
        if (document.activeElement === document.body) main.current?.focus({ preventScroll: true });
      });
    window.addEventListener('popstate', keepFocus);
    return () => window.removeEventListener('popstate', keepFocus);
  }, []);
  useEffect(() => loadWhenIdle(permitted), [permitted]);
  const first = permitted[0];
  // A key that may not see the first view begins with the next one.
  const isElsewhere = path === '' && first !== undefined && !permitted.some((view) => view.path === '');
  useEffect(() => {
    if (isElsewhere) navigate(buildHref(first.path), { replace: true });
  }, [isElsewhere, first]);
  if (isElsewhere) return <main />;
  const heading = <h1>{view?.name ?? 'Console'}</h1>;
  return (
    <main ref={main} id="view" tabIndex={-1} aria-label={view?.name}>
      {view && permitted.includes(view) ? (
        <ViewBoundary key={path}>
          <Later meanwhile={heading}>
            <Suspense
              fallback={
                <>
                  {heading}
                  <Skeleton rows={8} />
                </>
              }
            >
              <view.Content />
            </Suspense>
          </Later>
        </ViewBoundary>
      ) : (
        <>
          {heading}
          <Empty title={view ? `This API key may not read ${view.name.toLowerCase()}` : 'There is no such view'}>
            {view && <p>It lacks the scope {view.scope}. Enter another key, or open a view that this one may read.</p>}
            {first ? <Link view={first.path}>{first.name}</Link> : <p>The console has no view for this key.</p>}
          </Empty>
        </>
      )}
    </main>
  );
});
