import { useState } from 'react';
import type { Demo } from '../api-key.ts';
import { ApiKeyField } from '../api-key-field.tsx';
import { forget, load, save } from '../tab-storage.ts';
import { ApiKey } from './agent.ts';
import { Conversation } from './conversation.tsx';

/** The whole page: an optional API key, and one conversation at a time. A reload changes neither. */
export const Page = ({ demo: { apiKey: demoKey, isFakeModel } }: { demo: Demo }) => {
  const [apiKey, setApiKey] = useState(() => load('apiKey') ?? demoKey ?? '');
  const [isKeyPanelOpen, setKeyPanelOpen] = useState(false);
  const [conversation, setConversation] = useState(1);

  const changeKey = (key: string) => {
    save('apiKey', key);
    setApiKey(key);
  };
  const startConversation = () => {
    forget('conversation');
    setConversation((count) => count + 1);
  };
  /** Another user's key starts another conversation; without a key the same one continues. */
  const changeUser = (key: string) => {
    changeKey(key);
    if (key) startConversation();
  };

  return (
    <main>
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
          <ApiKeyField
            apiKey={apiKey}
            demoKey={demoKey}
            label="API key (optional)"
            note="With a key the assistant can read your agents and, each time you approve, create and change them. Another key starts a new conversation."
            isOpen={isKeyPanelOpen}
            onToggle={setKeyPanelOpen}
            onChange={changeUser}
          />
          <button type="button" className="quiet" onClick={startConversation}>
            New conversation
          </button>
        </div>
      </div>
      <ApiKey value={apiKey}>
        <Conversation
          key={conversation}
          apiKey={apiKey}
          isFakeModel={isFakeModel ?? false}
          onEnterKey={() => setKeyPanelOpen(true)}
          onRemoveKey={() => changeKey('')}
        />
      </ApiKey>
    </main>
  );
};
