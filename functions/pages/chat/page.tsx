import { useState } from 'react';
import type { Demo } from './api-key.ts';
import { ApiKeyField } from './api-key-field.tsx';
import { Conversation } from './conversation.tsx';
import { forget, load, save } from './tab-storage.ts';

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
    <>
      <header className="top">
        <div className="brand">
          <Waves />
          <div>
            <h1>Build assistant</h1>
            <p>
              Voice Agent Platform · <a href="/docs">Documentation</a>
            </p>
            {isFakeModel && <p>A demo model answers: it understands sentences like the examples.</p>}
          </div>
        </div>
        <div className="actions">
          <ApiKeyField
            apiKey={apiKey}
            demoKey={demoKey}
            isOpen={isKeyPanelOpen}
            onToggle={setKeyPanelOpen}
            onChange={changeUser}
          />
          <button type="button" className="quiet" onClick={startConversation}>
            New conversation
          </button>
        </div>
      </header>
      <Conversation
        key={conversation}
        apiKey={apiKey}
        onEnterKey={() => setKeyPanelOpen(true)}
        onRemoveKey={() => changeKey('')}
      />
    </>
  );
};

const Waves = () => (
  <svg className="waves" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M8 14v4M12.5 10v12M17 7.5v17M21.5 11v10M25 14.5v3" />
  </svg>
);
