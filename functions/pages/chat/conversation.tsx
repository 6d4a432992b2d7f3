import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, generateId, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { load, save } from '../tab-storage.ts';
import { Composer } from './composer.tsx';
import { describeChatError, parseErrorCode } from './errors.ts';
import { useFollowEnd } from './follow-end.ts';
import { Message } from './message.tsx';
import { Suggestions } from './suggestions.tsx';

/** The user's choice of a key: its field, and the answers to a key that has become invalid. */
export type KeyChoice = { field: ReactNode; onEnter(): void; onRemove(): void };

type Props = { apiKey: string; isFakeModel: boolean; keyChoice: KeyChoice | undefined };

/** One conversation with the assistant, through the AI SDK's own client. */
export const Conversation = ({ apiKey, isFakeModel, keyChoice }: Props) => {
  const [stored] = useState(() => load('conversation') ?? { id: generateId(), messages: [] });
  const currentKey = useRef(apiKey);
  currentKey.current = apiKey;
  const [transport] = useState(
    () =>
      new DefaultChatTransport({
        api: '/chat/build',
        headers: (): Record<string, string> => (currentKey.current ? { 'x-authorization': currentKey.current } : {}),
      }),
  );
  const { messages, status, error, sendMessage, stop, regenerate, addToolApprovalResponse } = useChat({
    id: stored.id,
    messages: stored.messages,
    transport,
    throttle: 50,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const input = useRef<HTMLTextAreaElement>(null);
  const log = useRef<HTMLElement>(null);
  // An empty conversation starts at the top, where its examples begin.
  const follow = useFollowEnd(log, stored.messages.length === 0 ? 0 : stored.scrollTop);

  const latest = useRef(messages);
  latest.current = messages;
  // It runs while the elements are still there.
  useLayoutEffect(() => {
    const keep = () => {
      const { scrollTop, scrollHeight, clientHeight } = log.current as HTMLElement;
      const isAtEnd = scrollHeight - scrollTop - clientHeight < 24;
      save('conversation', {
        id: stored.id,
        messages: latest.current,
        scrollTop: isAtEnd ? undefined : scrollTop,
        draft: input.current?.value ?? '',
      });
    };
    keep();
    window.addEventListener('pagehide', keep);
    return () => {
      window.removeEventListener('pagehide', keep);
      // A conversation that was given up is not stored any more.
      if (load('conversation')?.id === stored.id) keep();
    };
  }, [stored.id]);

  const isBusy = status === 'submitted' || status === 'streaming';
  const needsApproval =
    messages.at(-1)?.parts.some((part) => 'state' in part && part.state === 'approval-requested') ?? false;
  const send = (text: string) => {
    void sendMessage({ text });
    follow();
    input.current?.focus();
  };
  const answerApproval = (id: string, approved: boolean) => {
    void addToolApprovalResponse({ id, approved });
    follow();
    input.current?.focus();
  };
  const retry = () => {
    void regenerate();
    follow();
    input.current?.focus();
  };

  return (
    <>
      <section
        className="messages"
        ref={log}
        role="log"
        aria-label="Conversation"
        aria-live="polite"
        aria-busy={isBusy}
      >
        {messages.length === 0 && <Suggestions hasKey={apiKey !== ''} isFakeModel={isFakeModel} onChoose={send} />}
        {messages.map((message, index) => (
          <Message
            key={message.id}
            message={message}
            isGrowing={isBusy && index === messages.length - 1}
            isLast={index === messages.length - 1}
            canAnswer={!isBusy}
            onAnswer={answerApproval}
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
          <div className="failed" role="alert">
            <p>{describeChatError(error, apiKey !== '')}</p>
            {keyChoice && parseErrorCode(error) === 'invalid_api_key' ? (
              <div className="buttons">
                <button type="button" className="quiet" onClick={keyChoice.onEnter}>
                  Enter another key
                </button>
                <button
                  type="button"
                  className="quiet"
                  onClick={() => {
                    currentKey.current = '';
                    keyChoice.onRemove();
                    retry();
                  }}
                >
                  Continue without a key
                </button>
              </div>
            ) : (
              <button type="button" className="quiet" onClick={retry}>
                Try again
              </button>
            )}
          </div>
        )}
      </section>
      <Composer
        ref={input}
        initialText={stored.draft ?? ''}
        isBusy={isBusy}
        onSend={send}
        onStop={() => {
          void stop();
          input.current?.focus();
        }}
      />
      <p className="visually-hidden" role="status">
        {isBusy ? 'The assistant is writing.' : needsApproval ? 'The assistant asks for your approval.' : ''}
      </p>
    </>
  );
};
