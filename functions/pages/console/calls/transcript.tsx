import { type RefObject, useEffect, useState } from 'react';
import type { Call, GetCallTranscriptResponse } from '../../../openapi/client/client.ts';
import { useAgent } from '../components/agent-filter.tsx';
import { TextField } from '../components/fields.tsx';
import { ChangeButton } from '../components/form.tsx';
import { Empty, Loaded } from '../components/parts.tsx';
import { Time } from '../components/values.tsx';
import { formatDuration, formatNumber } from '../formats.ts';
import { useChange, useRead, useService } from '../service.tsx';

type Turn = GetCallTranscriptResponse['turns'][number];
type Audio = RefObject<HTMLAudioElement | null>;
/** The element that plays the recording, if the page can play it. */
type Recording = { audio: Audio; isPlayable: boolean };

const roles: Record<Turn['role'], string> = { agent: 'Agent', caller: 'Caller', tool: 'Tool', system: 'System' };

/** What was said in a call. A turn plays the recording from its time. */
export const Transcript = ({ call, ...recording }: { call: Call } & Recording) => {
  const { agentId, callId } = call;
  const transcript = useRead(['transcript', agentId, callId], (api, options) =>
    api.calls.getTranscript({ agentId, callId }, options),
  );
  return (
    <section className="stack">
      <h3>Transcript</h3>
      <Loaded query={transcript}>{(data) => <Turns call={call} transcript={data} {...recording} />}</Loaded>
    </section>
  );
};

type TurnsProps = { call: Call; transcript: GetCallTranscriptResponse } & Recording;

const Turns = ({ call, transcript: { turns, truncated, expiresAt }, audio, isPlayable }: TurnsProps) => {
  const [search, setSearch] = useState('');
  const playing = usePlayingTurn(turns, audio);
  const wanted = search.trim().toLowerCase();
  const found = wanted ? turns.filter(({ text }) => text.toLowerCase().includes(wanted)) : turns;
  const isOwn = useAgent(call.agentId)?.uid === useService().uid;
  return (
    <>
      <Spoken call={call} turns={turns} />
      <TextField
        label="Search in the transcript"
        type="search"
        note={wanted ? `Turns: ${formatNumber(found.length)} of ${formatNumber(turns.length)}` : undefined}
        value={search}
        onChange={setSearch}
      />
      {found.length === 0 ? (
        <Empty title="Nobody said that" />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling content must be reachable by keyboard
        <ol className="turns" tabIndex={0} aria-label="Transcript">
          {found.map((turn) => (
            <TurnItem
              // Roles, times and texts may repeat; the place of a turn does not.
              key={turns.indexOf(turn)}
              turn={turn}
              wanted={wanted}
              isPlaying={turn === playing}
              onPlay={turn.at === undefined || !isPlayable ? undefined : () => play(audio, turn.at)}
            />
          ))}
        </ol>
      )}
      {truncated && <p className="faint">The transcript was longer: its end is missing.</p>}
      <p className="faint">
        Kept until <Time at={expiresAt} />, as the agent says.
      </p>
      {isOwn && <DeleteTranscript call={call} />}
    </>
  );
};

const play = (audio: Audio, at = 0) => {
  const element = audio.current;
  if (!element) return;
  const seek = () => {
    element.currentTime = at;
  };
  // Before the recording is loaded, no time of it can be sought.
  if (element.readyState === 0) element.addEventListener('loadedmetadata', seek, { once: true });
  else seek();
  // A recording that cannot be played says so itself.
  element.play().catch(() => {});
};

/** Returns the turn that the recording plays. */
const usePlayingTurn = (turns: Turn[], audio: Audio): Turn | undefined => {
  const [second, setSecond] = useState<number>();
  useEffect(() => {
    const element = audio.current;
    const follow = () => setSecond(element?.currentTime);
    element?.addEventListener('timeupdate', follow);
    return () => element?.removeEventListener('timeupdate', follow);
  }, [audio]);
  return second === undefined ? undefined : turns.findLast(({ at }) => at !== undefined && at <= second);
};

type TurnProps = { turn: Turn; wanted: string; isPlaying: boolean; onPlay: (() => void) | undefined };

const TurnItem = ({ turn: { role, text, at }, wanted, isPlaying, onPlay }: TurnProps) => {
  const begins = at === undefined ? undefined : formatDuration(Math.floor(at));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the button in a turn is reached by keyboard
    <li className={role} aria-current={isPlaying || undefined} onClick={onPlay}>
      <p className="faint">
        {roles[role]}
        {begins &&
          (onPlay ? (
            <button type="button" className="quiet small" aria-label={`Play from ${begins}`}>
              {begins}
            </button>
          ) : (
            <span>{begins}</span>
          ))}
      </p>
      <p dir="auto">{wanted ? <Marked text={text} wanted={wanted} /> : text}</p>
    </li>
  );
};

/** A text in which what is searched is marked. */
const Marked = ({ text, wanted }: { text: string; wanted: string }) => {
  const start = text.toLowerCase().indexOf(wanted);
  const end = start + wanted.length;
  // The small letters of some languages are longer than their capitals.
  if (start < 0 || text.toLowerCase().length !== text.length) return text;
  return (
    <>
      {text.slice(0, start)}
      <mark>{text.slice(start, end)}</mark>
      <Marked text={text.slice(end)} wanted={wanted} />
    </>
  );
};

/** Says for a held outcome how many words of the caller count, and how many the agent asks for. */
const Spoken = ({ call: { agentId, heldOutcome }, turns }: { call: Call; turns: Turn[] }) => {
  const outcomes = useAgent(agentId)?.configuration.outcomes ?? [];
  const declared = outcomes.find(({ name }) => name === heldOutcome?.custom_call_outcome);
  const min = declared?.found?.minCallerWords;
  if (min === undefined) return null;
  const said = turns.flatMap(({ role, text }) => (role === 'caller' ? text : []));
  return (
    <p className="note">
      The turns of the caller count: {formatNumber(countWords(said))} words, and {declared?.name} needs {min}.
    </p>
  );
};

/** Counts words as the service does, by the word boundaries of Unicode. */
const countWords = (texts: string[]): number =>
  [...new Intl.Segmenter('en', { granularity: 'word' }).segment(texts.join('\n'))].filter(
    ({ isWordLike }) => isWordLike,
  ).length;

/** Deletes a transcript after a confirmation. */
const DeleteTranscript = ({ call: { agentId, callId } }: { call: Call }) => {
  const [isAsking, setAsking] = useState(false);
  const deletion = useChange((api, options) => api.calls.deleteTranscript({ agentId, callId }, options), {
    changes: [['call', agentId, callId]],
    done: () => 'The transcript is deleted.',
  });
  if (!isAsking) {
    return (
      <div className="buttons">
        <button type="button" className="quiet small warns" onClick={() => setAsking(true)}>
          Delete the transcript
        </button>
      </div>
    );
  }
  return (
    <div className="failed" role="alert">
      <p>What was said in this call is deleted for good. The call stays.</p>
      <ChangeButton change={deletion} className="danger">
        Delete it
      </ChangeButton>
      <button type="button" className="quiet" onClick={() => setAsking(false)}>
        Keep it
      </button>
    </div>
  );
};
