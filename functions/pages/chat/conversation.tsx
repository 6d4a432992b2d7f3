import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { useMemo, useRef } from 'react';
import { Composer } from './composer.tsx';
import { wordsOf } from './errors.ts';
import { Message } from './message.tsx';
import { useStickToBottom } from './stick-to-bottom.ts';
import { Suggestions } from './suggestions.tsx';

/** One conversation with the assistant, through the AI SDK's own client. */
export const Conversation = ({ apiKey }: { apiKey: string }) => {
  const transport = useMemo(
    () => new DefaultChatTransport({ api: '/chat/build', headers: apiKey ? { 'x-authorization': apiKey } : {} }),
    [apiKey],
  );
  const { messages, status, error, sendMessage, stop, regenerate, addToolApprovalResponse } = useChat({
    transport,
    throttle: 50,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const input = useRef<HTMLTextAreaElement>(null);
  const end = useStickToBottom(error ?? messages);

  const isBusy = status === 'submitted' || status === 'streaming';
  const isAsking =
    messages.at(-1)?.parts.some((part) => 'state' in part && part.state === 'approval-requested') ?? false;
  const say = (text: string) => {
    void sendMessage({ text });
    input.current?.focus();
  };
  const decide = (id: string, approved: boolean) => {
    void addToolApprovalResponse({ id, approved });
    input.current?.focus();
  };

  return (
    <main>
      <section className="messages" role="log" aria-label="Conversation" aria-live="polite" aria-busy={isBusy}>
        {messages.length === 0 && <Suggestions hasKey={apiKey !== ''} onChoose={say} />}
        {messages.map((message, index) => (
          <Message
            key={message.id}
            message={message}
            isGrowing={isBusy && index === messages.length - 1}
            isLast={index === messages.length - 1}
            canDecide={!isBusy}
            onDecide={decide}
          />
        ))}
        {status === 'submitted' && (
          <p className="waiting" aria-hidden="true">
            <i />
            <i />
            <i />
          </p>
        )}
        {error && (
          <div className="error" role="alert">
            <p>{wordsOf(error)}</p>
            <button type="button" className="quiet" onClick={() => void regenerate()}>
              Try again
            </button>
          </div>
        )}
        <div ref={end} />
      </section>
      <Composer ref={input} isBusy={isBusy} onSend={say} onStop={() => void stop()} />
      <p className="hidden" role="status">
        {isBusy ? 'The assistant is writing.' : isAsking ? 'The assistant asks for your approval.' : ''}
      </p>
    </main>
  );
};
