import { useState } from 'react';
import { type Demo, saveKey } from '../api-key.ts';
import { ApiKeyField } from '../api-key-field.tsx';
import { load } from '../tab-storage.ts';
import { Assistant } from './assistant.tsx';

/** The whole page: an optional API key, and the assistant. */
export const Page = ({ demo: { apiKey: demoKey, isFakeModel = false } }: { demo: Demo }) => {
  const [apiKey, setApiKey] = useState(() => load('apiKey') ?? demoKey ?? '');
  const [user, setUser] = useState(1);
  const [isKeyPanelOpen, setKeyPanelOpen] = useState(false);

  /** Another user's key starts another conversation; without a key the same one continues. */
  const changeKey = (key: string) => {
    saveKey(key);
    setApiKey(key);
    if (key) setUser((count) => count + 1);
  };

  return (
    <main>
      <Assistant
        key={user}
        apiKey={apiKey}
        isFakeModel={isFakeModel}
        keyChoice={{
          field: (
            <ApiKeyField
              apiKey={apiKey}
              demoKey={demoKey}
              label="API key (optional)"
              note="With a key the assistant can read your agents and, each time you approve, create and change them. Another key starts a new conversation."
              isOpen={isKeyPanelOpen}
              onToggle={setKeyPanelOpen}
              onChange={changeKey}
            />
          ),
          onEnter: () => setKeyPanelOpen(true),
          onRemove: () => changeKey(''),
        }}
      />
    </main>
  );
};
