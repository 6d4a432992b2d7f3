import { useState } from 'react';
import { ApiKeyField } from './api-key-field.tsx';
import { Conversation } from './conversation.tsx';

/** The whole page: a key, if the reader has one, and one conversation at a time. */
export const Page = () => {
  const [apiKey, setApiKey] = useState(() => sessionStorage.getItem(keptAs) ?? '');
  const [conversation, setConversation] = useState(1);

  const changeKey = (key: string) => {
    if (key) sessionStorage.setItem(keptAs, key);
    else sessionStorage.removeItem(keptAs);
    setApiKey(key);
  };

  return (
    <>
      <header className="top">
        <div className="brand">
          <Waves />
          <div>
            <h1>Build assistant</h1>
            <p>
              Voice Agent Platform · <a href="/docs">API reference</a>
            </p>
          </div>
        </div>
        <div className="actions">
          <ApiKeyField apiKey={apiKey} onChange={changeKey} />
          <button type="button" className="quiet" onClick={() => setConversation((count) => count + 1)}>
            New conversation
          </button>
        </div>
      </header>
      <Conversation key={`${conversation} ${apiKey}`} apiKey={apiKey} />
    </>
  );
};

/** The key lives as long as this tab, and nowhere else. */
const keptAs = 'apiKey';

const Waves = () => (
  <svg className="waves" viewBox="0 0 32 32" aria-hidden="true">
    <path d="M8 14v4M12.5 10v12M17 7.5v17M21.5 11v10M25 14.5v3" />
  </svg>
);
