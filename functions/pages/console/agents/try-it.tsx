import { useState } from 'react';
import { type Agent, ApiRequestError } from '../../../openapi/client/client.ts';
import { Link } from '../address.tsx';
import { TextField } from '../components/fields.tsx';
import { ChangeButton, Form } from '../components/form.tsx';
import { Json, Status } from '../components/values.tsx';
import { useChange, useService } from '../service.tsx';
import { sampleEvents } from './sample-events.ts';
import { type PlatformName, voicePlatforms } from './voice-platforms.ts';

type Props = { agent: Agent; name: PlatformName; query: URLSearchParams };
type Answer = { status: number; body: string };
type Answers = { callId: string; start: Answer; end: Answer };

/** A number that nobody has. */
const sampleNumber = '+14155550199';

/** Sends the start and the end of a call as a platform does, but with the key of the page in place of a signature. */
export const TryIt = ({ agent: { agentId, phoneNumber = '+14155550123' }, name, query }: Props) => {
  const { apiKey } = useService();
  const [from, setFrom] = useState(sampleNumber);
  const { title } = voicePlatforms[name];
  const send = async (event: Record<string, unknown>): Promise<Answer> => {
    const isForm = name === 'twilio' || name === 'telnyx';
    const response = await fetch(`/hooks/${name}?${query}`, {
      method: 'POST',
      headers: {
        'x-authorization': apiKey,
        'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      },
      body: isForm ? new URLSearchParams(event as Record<string, string>).toString() : JSON.stringify(event),
    });
    return { status: response.status, body: await response.text() };
  };
  const trial = useChange(
    async () => {
      const id = `console-${Date.now()}`;
      const call = { callId: id, from: from.trim(), to: phoneNumber, endedAt: new Date() };
      const { start, end } = sampleEvents[name];
      const answers: Answers = {
        callId: `${name}:${id}`,
        start: await send(start(call)).catch(toRequestError),
        end: await send(end(call)).catch(toRequestError),
      };
      return { data: answers, response: new Response() };
    },
    { changes: [['calls'], ['figures']] },
  );
  return (
    <>
      <p>
        The console sends a call to the address as {title} does: its start, and its end after a minute. The call is
        recorded like any other. It is sent with your API key in place of a signature.
      </p>
      <Form change={trial} submit="Send a call" pending="Sending …" onSubmit={() => trial.mutate(undefined)}>
        <TextField label="Caller" type="tel" required value={from} onChange={setFrom} />
      </Form>
      {trial.data && <Result agentId={agentId} answers={trial.data} />}
    </>
  );
};

const toRequestError = (): never => {
  throw new ApiRequestError({ error: 'unreachable', message: '' }, Response.error());
};

const Result = ({ agentId, answers: { callId, start, end } }: { agentId: string; answers: Answers }) => {
  const deletion = useChange((api) => api.calls.delete({ agentId, callIdOrPhone: callId }), {
    changes: [['calls'], ['figures']],
    done: () => 'The test call is deleted.',
  });
  return (
    <div className="card" role="status">
      <Line what="The start was" answer={start} />
      <Json title="Response to the start" value={parse(start.body)} />
      <Line what="The end was" answer={end} />
      {isGood(end) ? (
        <div className="buttons">
          <Link className="quiet" view="calls" filters={{ agentId, callId, callOf: agentId }}>
            Show the call
          </Link>
          {!deletion.data && (
            <ChangeButton change={deletion} className="quiet">
              Delete the test call
            </ChangeButton>
          )}
        </div>
      ) : (
        <Json title="Response to the end" value={parse(end.body)} />
      )}
    </div>
  );
};

const isGood = ({ status }: Answer) => status >= 200 && status < 300;

const Line = ({ what, answer }: { what: string; answer: Answer }) => (
  <p>
    <Status
      tone={isGood(answer) ? 'good' : 'bad'}
      label={`${what} ${isGood(answer) ? 'answered' : 'refused'} with status ${answer.status}`}
    />
  </p>
);

const parse = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
};
