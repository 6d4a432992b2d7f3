import { useState } from 'react';
import { forget } from '../tab-storage.ts';
import { ApiKey } from './agent.ts';
import { Conversation, type KeyChoice } from './conversation.tsx';

type Props = {
  apiKey: string;
  isFakeModel: boolean;
  /** Absent in a page that has a key of its own. */
  keyChoice?: KeyChoice;
};

/** The build assistant: one conversation at a time. A reload does not change it. */
export const Assistant = ({ apiKey, isFakeModel, keyChoice }: Props) => {
  const [conversation, setConversation] = useState(1);
  const startConversation = () => {
    forget('conversation');
    setConversation((count) => count + 1);
  };
  return (
    <>
      <div className="top">
        <div>
          <h1>Build assistant</h1>
          {isFakeModel && (
            <p>
              A demo model answers: it understands sentences like the examples.{' '}
              <a href="/docs/local-run#a-real-language-model">Use a real one</a>
            </p>
          )}
        </div>
        <div className="actions">
          {keyChoice?.field}
          <button type="button" className="quiet" onClick={startConversation}>
            New conversation
          </button>
        </div>
      </div>
      <ApiKey value={apiKey}>
        <Conversation key={conversation} apiKey={apiKey} isFakeModel={isFakeModel} keyChoice={keyChoice} />
      </ApiKey>
    </>
  );
};
