import { CopyButton } from '../components/copy-button.tsx';
import { Section } from '../components/parts.tsx';
import { useService } from '../service.tsx';
import { KeyList } from './key-list.tsx';

/** The view Keys: the API keys of the user. */
const Keys = () => (
  <>
    <KeyList uid={useService().uid} isView />
    <Section title="AI clients">
      <p>
        Claude, ChatGPT and other AI clients connect with the address <code>{`${window.location.origin}/mcp`}</code>{' '}
        <CopyButton text={`${window.location.origin}/mcp`} what="The address" />. They ask you for a key, and appear
        above. <a href="/docs/mcp">How to add it</a>
      </p>
    </Section>
  </>
);

export default Keys;
