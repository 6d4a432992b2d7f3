import { Fragment } from 'react';
import type { Passage } from '../../../openapi/client/client.ts';
import { NameLink } from '../address.tsx';
import { Empty, Loaded, Section } from '../components/parts.tsx';
import { formatNumber } from '../formats.ts';
import { useRead } from '../service.tsx';

const maxPassages = 10;
/** The polling interval while a source is not indexed. */
const pollMilliseconds = 2000;

/** The passages that an agent finds for a query, best first. */
export const Passages = ({ agentId, query }: { agentId: string; query: string }) => {
  const found = useRead(
    ['knowledge', agentId, 'search', query],
    (api, options) => api.knowledge.search({ agentId, query, limit: maxPassages }, options),
    // The passages of a source that is not indexed yet appear as soon as it is.
    { refetchInterval: (data) => (data?.searched.unindexed ? pollMilliseconds : false) },
  );
  return (
    <Section title="Passages">
      <Loaded query={found} rows={4}>
        {({ passages, searched: { sources, unindexed = 0, omitted = 0 } }) => (
          <>
            <p className="faint" role="status">
              Passages found: {passages.length}. Sources searched: {formatNumber(sources)}.
              {unindexed > 0 && ` Not searched, because they are not indexed yet: ${formatNumber(unindexed)}.`}
              {omitted > 0 && ` Not searched, because there is too much for one search: ${formatNumber(omitted)}.`}
            </p>
            {passages.length === 0 ? (
              <Empty title="The agent would find nothing">
                Only sources that are switched on and have been read are searched. Try other words, or add a source.
              </Empty>
            ) : (
              <ol className="passages">
                {passages.map((passage) => (
                  <li key={`${passage.sourceId} ${passage.url} ${passage.start}`}>
                    <PassageText passage={passage} />
                  </li>
                ))}
              </ol>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
};

const PassageText = ({ passage: { text, sourceId, name, title, url } }: { passage: Passage }) => (
  <>
    <p dir="auto" className="passage">
      {text}
    </p>
    <p className="faint">
      <NameLink filters={{ sourceId }} name={name} />
      {[title, url].filter(Boolean).map((place) => (
        <Fragment key={place}>
          {' · '}
          <bdi>{place}</bdi>
        </Fragment>
      ))}
    </p>
  </>
);
