import { CopyButton } from '../components/copy-button.tsx';
import { Section } from '../components/parts.tsx';
import { useService } from '../service.tsx';
import { KeyList } from './key-list.tsx';

const address = `${location.origin}/mcp`;

/** The view Keys: the API keys of the user. */
const Keys = () => (
  <>
    <KeyList uid={useService().uid} isView />
    <Section title="AI clients">
      <p>
        Claude, ChatGPT and other AI clients connect with this address. They ask you for a key, and appear above.{' '}
        <a href="/docs/mcp">How to add it</a>
      </p>
      <p className="check">
        <code>{address}</code> <CopyButton text={address} what="The address" />
      </p>
    </Section>
  </>
);

export default Keys;
