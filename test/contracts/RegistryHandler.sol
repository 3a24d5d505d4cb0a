// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {AssetRegistry} from "../../contracts/AssetRegistry.sol";
import {IAssetRegistry} from "../../contracts/interfaces/IAssetRegistry.sol";
import {Eip712} from "./Eip712.sol";
import {TestWallet} from "./TestWallet.sol";
import {Vm, vm} from "./Vm.sol";

/// @title RegistryHandler
/// @notice Lets three accounts and a contract wallet do everything that the registry offers, rightly and wrongly:
/// directly, by signature and in batches. It foretells from the written rules what must succeed, and rebuilds the
/// whole state from nothing but the events, as an index does.
contract RegistryHandler {
    /// @notice An asset as the events tell it.
    struct ToldAsset {
        address author;
        uint256 createdOn;
        uint256 cancelledOn;
    }

    /// @notice A link as the events tell it.
    struct ToldLink {
        bool stands;
        uint256 addedOn;
        uint256 revokedOn;
    }

    /// @notice The least and the most gas that one kind of call has cost.
    struct GasRange {
        uint256 least;
        uint256 most;
    }

    /// @notice How often something happened.
    struct Counts {
        uint256 created;
        uint256 cancelled;
        uint256 added;
        uint256 revoked;
        uint256 noncesCancelled;
        uint256 signed;
        uint256 batched;
        uint256 refused;
    }

    uint256 private constant _ACCOUNTS = 3;
    uint256 private constant _ACTORS = 4;
    uint256 private constant _KEY = 0xA11CE;

    AssetRegistry public immutable REGISTRY = new AssetRegistry();
    TestWallet public immutable WALLET = new TestWallet(vm.addr(_KEY + 10), vm.addr(_KEY + 11));

    bytes32[] public ids;
    /// @notice Pairs that an event has named.
    bytes32[2][] public pairs;
    /// @notice Ids whose creation was cancelled at some time.
    bytes32[] public cancelledIds;
    /// @notice Calls that the registry answered otherwise than the written rules say, and events that nobody asked for.
    uint256 public surprises;
    Counts public counts;
    GasRange public gasToCreate;
    GasRange public gasToLink;
    GasRange public gasToRevoke;

    mapping(bytes32 id => ToldAsset) private _assets;
    mapping(bytes32 parent => mapping(bytes32 child => ToldLink)) private _links;
    mapping(address author => mapping(uint192 key => uint64)) private _counts;
    /// Whoever called or signed what is being tried.
    address[] private _responsible;
    bytes[] private _spent;
    uint256 private _fresh;
    /// Not `block.timestamp`, which the optimizer reads once in a call: it does not know of warps.
    uint256 private _now = 1_700_000_000;

    constructor() {
        vm.recordLogs();
        for (uint256 person = 0; person < _ACTORS; ++person) {
            create(person, 2 * person, 0);
            create(person, 2 * person + 1, 0);
        }
        // What was measured here was measured within one transaction.
        delete gasToCreate;
    }

    /// @notice Somebody creates an asset, perhaps again, perhaps by a signature that is forged or too late.
    function create(uint256 person, uint256 content, uint256 way) public {
        _later();
        address author = actor(person);
        bytes32 salt = bytes32(content % 8);
        IAssetRegistry.AssetDetails memory details = _details(content / 8);
        ToldAsset storage told = _assets[Eip712.assetId(address(REGISTRY), author, salt, details)];
        bool free = told.author == address(0);
        bool fresh = free && told.cancelledOn == 0;

        if (way % 4 == 0) {
            _responsible.push(author);
            bytes memory call = abi.encodeCall(IAssetRegistry.createAsset, (salt, details));
            uint256 gas = _try(author, call, free, way / 4);
            if (fresh && (way / 4) % 2 == 0) _widen(gasToCreate, gas);
        } else {
            bool late = way % 4 == 2;
            bool forged = way % 4 == 3;
            uint256 deadline = late ? _now - 1 : _now;
            bytes32 digest = Eip712.creation(address(REGISTRY), author, salt, details, deadline);
            bytes memory signature = _sign((person % _ACTORS) + (forged ? 1 : 0), digest);
            bool allowed = fresh && !late && !forged;
            bytes memory call = abi.encodeCall(
                IAssetRegistry.createAssetFor,
                (author, salt, details, deadline, signature)
            );
            _trySigned(author, call, allowed, way / 4);
        }
    }

    /// @notice Somebody cancels a creation, perhaps one that has happened.
    function cancelCreation(uint256 person, uint256 content, uint256 way) external {
        _later();
        address author = actor(person);
        (bytes32 salt, IAssetRegistry.AssetDetails memory details) = (
            bytes32(content % 8),
            _details(content / 8)
        );
        ToldAsset storage told = _assets[Eip712.assetId(address(REGISTRY), author, salt, details)];
        bool allowed = told.author == address(0) && told.cancelledOn == 0;
        _responsible.push(author);
        _try(author, abi.encodeCall(IAssetRegistry.cancelCreation, (salt, details)), allowed, way);
    }

    /// @notice Somebody adds or revokes links to one, two or three assets, perhaps to the same one twice.
    function changeLinks(uint256 person, uint256 from, uint256 to, uint256 shape, uint256 way) external {
        _later();
        bool adds = way % 2 == 0;
        bytes32 parent = ids[from % ids.length];
        bytes32[] memory children = _children(to, shape);
        // Most pairs were never linked; those that were are tried more often.
        if (from % 4 != 0 && pairs.length != 0) {
            parent = pairs[from % pairs.length][0];
            if (!adds) children[0] = pairs[from % pairs.length][1];
        }
        bool possible = _possible(adds, parent, children);
        address author = _assets[parent].author;

        if ((way / 2) % 2 == 0) {
            // The author in half of the calls, else anybody: both outcomes are common.
            address caller = person % 2 == 0 ? author : actor(person / 2);
            bool first = possible && children.length == 1 && _links[parent][children[0]].addedOn == 0;
            bytes memory call =
                adds
                    ? abi.encodeCall(IAssetRegistry.link, (parent, children))
                    : abi.encodeCall(IAssetRegistry.revokeLinks, (parent, children));
            _responsible.push(caller);
            uint256 gas = _try(caller, call, possible && caller == author, way / 4);
            if (caller != author || !possible || children.length != 1 || (way / 4) % 2 != 0) return;
            if (first) _widen(gasToLink, gas);
            if (!adds) _widen(gasToRevoke, gas);
        } else {
            bool forged = (way / 4) % 4 == 3;
            bool skips = (way / 4) % 4 == 2;
            uint192 key = uint192(shape % 2);
            uint256 next = _nonce(author, key) + (skips ? 1 : 0);
            bytes memory call = _signedChange(adds, parent, children, next, forged);
            bool allowed = possible && !forged && !skips;
            _trySigned(author, call, allowed, way / 16);
            if (allowed) ++_counts[author][key];
        }
    }

    /// @notice Somebody cancels the next nonce of a key, or one that is not the next.
    function cancelLinkChange(uint256 person, uint256 key, uint256 way) external {
        _later();
        address author = actor(person);
        uint256 next = _nonce(author, uint192(key % 2));
        bool skips = way % 4 == 0;
        _responsible.push(author);
        bytes memory call = abi.encodeCall(IAssetRegistry.cancelLinkChange, (skips ? next + 1 : next));
        _try(author, call, !skips, way / 4);
    }

    /// @notice Somebody hands in a call again whose signature was used.
    function replay(uint256 person, uint256 which, uint256 way) external {
        _later();
        if (_spent.length == 0) return;
        _try(actor(person), _spent[which % _spent.length], false, way);
    }

    /// @notice Somebody hands in what several authors have signed, perhaps with one forged signature among them.
    function batch(uint256 person, uint256 from, uint256 to, uint256 spoiled) external {
        _later();
        bytes[] memory calls = new bytes[](4);
        address[] memory authors = new address[](3);
        for (uint256 i = 0; i < 3; ++i) {
            // Three different parents, so that no step depends on the one before.
            bytes32 parent = ids[((from % ids.length) + i) % ids.length];
            bytes32[] memory children = _children(to, 0);
            if (children[0] == parent) return;
            authors[i] = _assets[parent].author;
            // A key for each step: two of them may be the same author's.
            calls[i] = _signedChange(
                !_links[parent][children[0]].stands,
                parent,
                children,
                _nonce(authors[i], uint192(100 + i)),
                spoiled % 8 == i
            );
            _responsible.push(authors[i]);
        }
        calls[3] = _signedFresh(from, spoiled % 8 == 3);

        bool allowed = spoiled % 8 > 3;
        _send(actor(person), abi.encodeCall(IAssetRegistry.multicall, (calls)), allowed);
        if (!allowed) return;
        ++counts.batched;
        for (uint256 i = 0; i < 3; ++i) ++_counts[authors[i]][uint192(100 + i)];
        for (uint256 i = 0; i < 4; ++i) _spent.push(calls[i]);
    }

    /// @notice The actor with this number; the last is the contract wallet.
    function actor(uint256 person) public view returns (address) {
        uint256 number = person % _ACTORS;
        return number == _ACCOUNTS ? address(WALLET) : vm.addr(_KEY + number);
    }

    /// @notice Lengths of the lists of what the events have told of.
    function lengths() external view returns (uint256 assets, uint256 links, uint256 cancellations) {
        return (ids.length, pairs.length, cancelledIds.length);
    }

    /// @notice The asset that the events tell of.
    function toldAsset(bytes32 id) external view returns (ToldAsset memory) {
        return _assets[id];
    }

    /// @notice The link that the events tell of.
    function toldLink(bytes32 parent, bytes32 child) external view returns (ToldLink memory) {
        return _links[parent][child];
    }

    /// @notice The next nonce as the calls so far have left it.
    function nonce(address author, uint192 key) external view returns (uint256) {
        return _nonce(author, key);
    }

    // Each call is a minute after the one before, so that times can be told apart.
    function _later() private {
        _now += 60;
        vm.warp(_now);
        delete _responsible;
    }

    function _trySigned(address author, bytes memory call, bool allowed, uint256 way) private {
        _responsible.push(author);
        _try(actor(way / 2), call, allowed, way);
        if (!allowed) return;
        ++counts.signed;
        _spent.push(call);
    }

    // As it is, or alone in a batch.
    function _try(
        address caller,
        bytes memory call,
        bool allowed,
        uint256 way
    ) private returns (uint256 gas) {
        if (way % 2 == 0) return _send(caller, call, allowed);
        bytes[] memory calls = new bytes[](1);
        calls[0] = call;
        return _send(caller, abi.encodeCall(IAssetRegistry.multicall, (calls)), allowed);
    }

    function _send(address caller, bytes memory call, bool allowed) private returns (uint256 gas) {
        // Its first use in a transaction costs 2,500 gas, except where the runner made the registry the sender.
        require(address(REGISTRY).code.length != 0);
        vm.prank(caller);
        gas = gasleft();
        (bool done, ) = address(REGISTRY).call(call);
        gas -= gasleft();
        if (done != allowed) ++surprises;
        // The runner records what a call that reverted emitted, too.
        Vm.Log[] memory logs = vm.getRecordedLogs();
        if (done) _replay(logs);
        else ++counts.refused;
    }

    function _replay(Vm.Log[] memory logs) private {
        for (uint256 i = 0; i < logs.length; ++i) {
            (bytes32 kind, bytes32[] memory topics) = (logs[i].topics[0], logs[i].topics);
            if (kind == IAssetRegistry.AssetCreated.selector) {
                _replayCreation(topics[1], _address(topics[2]), logs[i].data);
            } else if (kind == IAssetRegistry.CreationCancelled.selector) {
                _expectResponsible(_address(topics[2]));
                _assets[topics[1]].cancelledOn = _now;
                cancelledIds.push(topics[1]);
                ++counts.cancelled;
            } else if (kind == IAssetRegistry.LinkAdded.selector) {
                _expectResponsible(_assets[topics[1]].author);
                _links[topics[1]][topics[2]] = ToldLink(true, _now, 0);
                pairs.push([topics[1], topics[2]]);
                ++counts.added;
            } else if (kind == IAssetRegistry.LinkRevoked.selector) {
                _expectResponsible(_assets[topics[1]].author);
                ToldLink storage told = _links[topics[1]][topics[2]];
                (told.stands, told.revokedOn) = (false, _now);
                ++counts.revoked;
            } else if (kind == IAssetRegistry.LinkChangeCancelled.selector) {
                _expectResponsible(_address(topics[1]));
                uint192 key = uint192(uint256(topics[2]) >> 64);
                if (uint256(topics[2]) != _nonce(_address(topics[1]), key)) ++surprises;
                ++_counts[_address(topics[1])][key];
                ++counts.noncesCancelled;
            } else {
                ++surprises;
            }
        }
    }

    function _replayCreation(bytes32 id, address author, bytes memory data) private {
        (bytes32 salt, IAssetRegistry.AssetDetails memory details) = abi.decode(
            data,
            (bytes32, IAssetRegistry.AssetDetails)
        );
        _expectResponsible(author);
        if (id != Eip712.assetId(address(REGISTRY), author, salt, details)) ++surprises;
        if (_assets[id].author != address(0)) ++surprises;
        _assets[id] = ToldAsset(author, _now, 0);
        ids.push(id);
        ++counts.created;
    }

    // Nothing happens to an asset in a call that its author has neither made nor signed.
    function _expectResponsible(address author) private {
        for (uint256 i = 0; i < _responsible.length; ++i) if (_responsible[i] == author) return;
        ++surprises;
    }

    function _signedChange(
        bool adds,
        bytes32 parent,
        bytes32[] memory children,
        uint256 next,
        bool forged
    ) private view returns (bytes memory) {
        address author = _assets[parent].author;
        uint256 signer = forged ? _number(author) + 1 : _number(author);
        bytes32 digest = Eip712.linkChange(address(REGISTRY), adds, parent, children, next, _now);
        bytes memory signature = _sign(signer, digest);
        return
            adds
                ? abi.encodeCall(IAssetRegistry.linkFor, (parent, children, next, _now, signature))
                : abi.encodeCall(IAssetRegistry.revokeLinksFor, (parent, children, next, _now, signature));
    }

    // A creation that was never tried before.
    function _signedFresh(uint256 person, bool forged) private returns (bytes memory) {
        address author = actor(person);
        _responsible.push(author);
        bytes32 salt = keccak256(abi.encode(_fresh++));
        IAssetRegistry.AssetDetails memory details = _details(0);
        bytes32 digest = Eip712.creation(address(REGISTRY), author, salt, details, _now);
        bytes memory signature = _sign((person % _ACTORS) + (forged ? 1 : 0), digest);
        return abi.encodeCall(IAssetRegistry.createAssetFor, (author, salt, details, _now, signature));
    }

    // What the interface says of adding and revoking, the caller aside.
    function _possible(bool adds, bytes32 parent, bytes32[] memory children) private view returns (bool) {
        for (uint256 i = 0; i < children.length; ++i) {
            if (adds == _links[parent][children[i]].stands) return false;
            if (adds && children[i] == parent) return false;
            for (uint256 j = 0; j < i; ++j) if (children[i] == children[j]) return false;
        }
        return true;
    }

    // One, two or three assets, next to each other or the same.
    function _children(uint256 to, uint256 shape) private view returns (bytes32[] memory children) {
        children = new bytes32[](1 + ((shape / 2) % 3));
        uint256 step = shape % 7 == 6 ? 0 : 1;
        for (uint256 i = 0; i < children.length; ++i)
            children[i] = ids[((to % ids.length) + i * step) % ids.length];
    }

    function _nonce(address author, uint192 key) private view returns (uint256) {
        return (uint256(key) << 64) | _counts[author][key];
    }

    function _number(address author) private view returns (uint256 number) {
        while (actor(number) != author) ++number;
    }

    function _sign(uint256 person, bytes32 digest) private pure returns (bytes memory) {
        uint256 number = person % _ACTORS;
        return
            number == _ACCOUNTS
                ? bytes.concat(_signWith(_KEY + 10, digest), _signWith(_KEY + 11, digest))
                : _signWith(_KEY + number, digest);
    }

    function _signWith(uint256 key, bytes32 digest) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function _widen(GasRange storage range, uint256 gas) private {
        if (range.least == 0 || gas < range.least) range.least = gas;
        if (gas > range.most) range.most = gas;
    }

    // Texts of the same length, so that they cost the same.
    function _details(uint256 content) private pure returns (IAssetRegistry.AssetDetails memory details) {
        details.name = string(abi.encodePacked("Document ", bytes1(uint8(0x30 + (content % 4)))));
        details.data = "Any text";
    }

    function _address(bytes32 topic) private pure returns (address) {
        return address(uint160(uint256(topic)));
    }
}
