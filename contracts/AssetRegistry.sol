// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";
import {Multicall} from "@openzeppelin/contracts/utils/Multicall.sol";
import {NoncesKeyed} from "@openzeppelin/contracts/utils/NoncesKeyed.sol";

import {IAssetRegistry} from "./interfaces/IAssetRegistry.sol";

/// @title AssetRegistry
/// @notice See {IAssetRegistry}.
contract AssetRegistry is IAssetRegistry, EIP712, NoncesKeyed, Multicall {
    bytes32 private constant _ASSET_TYPEHASH = keccak256(
        "Asset(address author,bytes32 salt,string name,string data,string fileName,string fileType,"
        "string fileSize,string method,string hash,string uri)"
    );
    bytes32 private constant _CREATE_ASSET_TYPEHASH = keccak256(
        "CreateAsset(Asset asset,uint256 deadline)"
        "Asset(address author,bytes32 salt,string name,string data,string fileName,string fileType,"
        "string fileSize,string method,string hash,string uri)"
    );
    bytes32 private constant _ADD_LINKS_TYPEHASH = keccak256(
        "AddLinks(bytes32 parent,bytes32[] children,uint256 nonce,uint256 deadline)"
    );
    bytes32 private constant _REVOKE_LINKS_TYPEHASH = keccak256(
        "RevokeLinks(bytes32 parent,bytes32[] children,uint256 nonce,uint256 deadline)"
    );

    // Four bytes for each character that the service takes: domain/limits.ts, which a test compares with these.
    uint256 private constant _MAX_DATA_BYTES = 262_144;
    uint256 private constant _MAX_URI_BYTES = 8_192;
    uint256 private constant _MAX_TEXT_BYTES = 1_024;

    mapping(bytes32 id => AssetRecord record) private _assets;
    mapping(bytes32 parent => mapping(bytes32 child => LinkRecord record)) private _links;

    constructor() EIP712("Asset Registry", "1") {}

    /// @inheritdoc IAssetRegistry
    function createAsset(bytes32 salt, AssetDetails calldata details) external returns (bytes32 id) {
        id = _assetId(msg.sender, salt, details);
        _createAsset(id, msg.sender, salt, details);
    }

    /// @inheritdoc IAssetRegistry
    function createAssetFor(
        address author,
        bytes32 salt,
        AssetDetails calldata details,
        uint256 deadline,
        bytes calldata signature
    ) external returns (bytes32 id) {
        _requireInTime(deadline);
        bytes32 assetHash = _hashAsset(author, salt, details);
        _requireSigned(author, keccak256(abi.encode(_CREATE_ASSET_TYPEHASH, assetHash, deadline)), signature);

        id = _hashTypedDataV4(assetHash);
        uint48 cancelledOn = _assets[id].cancelledOn;
        if (cancelledOn != 0) revert CreationIsCancelled(id, cancelledOn);
        // No nonce: the id can exist once, so the signature can be used once.
        _createAsset(id, author, salt, details);
    }

    /// @inheritdoc IAssetRegistry
    function cancelCreation(bytes32 salt, AssetDetails calldata details) external returns (bytes32 id) {
        id = _assetId(msg.sender, salt, details);
        if (_exists(id)) revert AssetExists(id);
        AssetRecord storage record = _assets[id];
        if (record.cancelledOn != 0) revert CreationIsCancelled(id, record.cancelledOn);

        record.cancelledOn = uint48(block.timestamp);
        emit CreationCancelled(id, msg.sender);
    }

    /// @inheritdoc IAssetRegistry
    function link(bytes32 parent, bytes32[] calldata children) external {
        _requireAuthor(parent);
        _link(parent, children);
    }

    /// @inheritdoc IAssetRegistry
    function linkFor(
        bytes32 parent,
        bytes32[] calldata children,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external {
        _requireLinkChangeSigned(_ADD_LINKS_TYPEHASH, parent, children, nonce, deadline, signature);
        _link(parent, children);
    }

    /// @inheritdoc IAssetRegistry
    function revokeLinks(bytes32 parent, bytes32[] calldata children) external {
        _requireAuthor(parent);
        _revokeLinks(parent, children);
    }

    /// @inheritdoc IAssetRegistry
    function revokeLinksFor(
        bytes32 parent,
        bytes32[] calldata children,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) external {
        _requireLinkChangeSigned(_REVOKE_LINKS_TYPEHASH, parent, children, nonce, deadline, signature);
        _revokeLinks(parent, children);
    }

    /// @inheritdoc IAssetRegistry
    function cancelLinkChange(uint256 nonce) external {
        _useCheckedNonce(msg.sender, nonce);
        emit LinkChangeCancelled(msg.sender, nonce);
    }

    /// @inheritdoc IAssetRegistry
    function assetOf(bytes32 id) external view returns (AssetRecord memory) {
        return _assets[id];
    }

    /// @inheritdoc IAssetRegistry
    function linkOf(bytes32 parent, bytes32 child) external view returns (LinkRecord memory) {
        return _links[parent][child];
    }

    /// @inheritdoc IAssetRegistry
    function assetId(
        address author,
        bytes32 salt,
        AssetDetails calldata details
    ) external view returns (bytes32) {
        return _assetId(author, salt, details);
    }

    /// @inheritdoc IAssetRegistry
    function multicall(
        bytes[] calldata calls
    ) public override(IAssetRegistry, Multicall) returns (bytes[] memory results) {
        return super.multicall(calls);
    }

    /// @inheritdoc IAssetRegistry
    function nonces(
        address author,
        uint192 key
    ) public view override(IAssetRegistry, NoncesKeyed) returns (uint256) {
        return super.nonces(author, key);
    }

    function _createAsset(bytes32 id, address author, bytes32 salt, AssetDetails calldata details) private {
        if (bytes(details.name).length == 0) revert AssetNameEmpty();
        AssetRecord storage record = _assets[id];
        if (_exists(id)) revert AssetExists(id);

        // A cancellation is forgotten: it was about signatures, and those fail now because the asset exists.
        (record.author, record.createdOn, record.cancelledOn) = (author, uint48(block.timestamp), 0);
        emit AssetCreated(id, author, salt, details);
    }

    function _link(bytes32 parent, bytes32[] calldata children) private {
        if (children.length == 0) revert NoChildren(parent);

        mapping(bytes32 child => LinkRecord record) storage outgoing = _links[parent];
        for (uint256 i = 0; i < children.length; ++i) {
            bytes32 child = children[i];
            if (child == parent) revert LinkToSelf(parent);
            if (!_exists(child)) revert AssetUnknown(child);
            LinkRecord storage record = outgoing[child];
            if (_stands(record)) revert LinkStands(parent, child);

            // Begins anew: what an earlier revocation left behind is overwritten, the events remember it.
            (record.addedOn, record.revokedOn) = (uint48(block.timestamp), 0);
            emit LinkAdded(parent, child);
        }
    }

    function _revokeLinks(bytes32 parent, bytes32[] calldata children) private {
        if (children.length == 0) revert NoChildren(parent);

        mapping(bytes32 child => LinkRecord record) storage outgoing = _links[parent];
        for (uint256 i = 0; i < children.length; ++i) {
            bytes32 child = children[i];
            LinkRecord storage record = outgoing[child];
            // Covers an unknown child and the parent itself too: no link to either can have been added.
            if (!_stands(record)) revert LinkDoesNotStand(parent, child);

            record.revokedOn = uint48(block.timestamp);
            emit LinkRevoked(parent, child);
        }
    }

    // The nonce is used before the author's code is asked about the signature.
    function _requireLinkChangeSigned(
        bytes32 typeHash,
        bytes32 parent,
        bytes32[] calldata children,
        uint256 nonce,
        uint256 deadline,
        bytes calldata signature
    ) private {
        _requireInTime(deadline);
        address author = _authorOf(parent);
        _useCheckedNonce(author, nonce);
        bytes32 childrenHash = keccak256(abi.encodePacked(children));
        _requireSigned(
            author,
            keccak256(abi.encode(typeHash, parent, childrenHash, nonce, deadline)),
            signature
        );
    }

    function _requireInTime(uint256 deadline) private view {
        if (block.timestamp > deadline) revert DeadlineExpired(deadline, block.timestamp);
    }

    // The key first, the code second: SignatureChecker alone asks only the code where there is some, and would so
    // refuse the plain signature of an account that delegates to code by EIP-7702.
    function _requireSigned(address author, bytes32 structHash, bytes calldata signature) private view {
        bytes32 digest = _hashTypedDataV4(structHash);
        (address signer, , ) = ECDSA.tryRecoverCalldata(digest, signature);
        if (signer != address(0) && signer == author) return;
        if (!SignatureChecker.isValidERC1271SignatureNowCalldata(author, digest, signature)) {
            revert SignatureInvalid(author, digest);
        }
    }

    // The sender and not the transaction's origin: a contract that an author calls must not act for the author.
    function _requireAuthor(bytes32 parent) private view {
        address author = _authorOf(parent);
        if (author != msg.sender) revert NotAuthor(parent, author, msg.sender);
    }

    function _authorOf(bytes32 parent) private view returns (address author) {
        author = _assets[parent].author;
        if (author == address(0)) revert AssetUnknown(parent);
    }

    function _exists(bytes32 id) private view returns (bool) {
        return _assets[id].author != address(0);
    }

    function _stands(LinkRecord storage record) private view returns (bool) {
        return record.addedOn != 0 && record.revokedOn == 0;
    }

    function _assetId(
        address author,
        bytes32 salt,
        AssetDetails calldata details
    ) private view returns (bytes32) {
        return _hashTypedDataV4(_hashAsset(author, salt, details));
    }

    // Each text is hashed by itself, so moving a letter from one field to the next gives another id. Its length is
    // checked here, where it is at hand: whatever a creation lets in, every reader has to carry for ever.
    function _hashAsset(
        address author,
        bytes32 salt,
        AssetDetails calldata details
    ) private pure returns (bytes32) {
        return
            keccak256(
                abi.encode(
                    _ASSET_TYPEHASH,
                    author,
                    salt,
                    _hashText(AssetText.Name, details.name, _MAX_TEXT_BYTES),
                    _hashText(AssetText.Data, details.data, _MAX_DATA_BYTES),
                    _hashText(AssetText.FileName, details.fileName, _MAX_TEXT_BYTES),
                    _hashText(AssetText.FileType, details.fileType, _MAX_TEXT_BYTES),
                    _hashText(AssetText.FileSize, details.fileSize, _MAX_TEXT_BYTES),
                    _hashText(AssetText.Method, details.method, _MAX_TEXT_BYTES),
                    _hashText(AssetText.Hash, details.hash, _MAX_TEXT_BYTES),
                    _hashText(AssetText.Uri, details.uri, _MAX_URI_BYTES)
                )
            );
    }

    function _hashText(
        AssetText text,
        string calldata value,
        uint256 maximum
    ) private pure returns (bytes32) {
        uint256 length = bytes(value).length;
        if (length > maximum) revert AssetTextTooLong(text, length, maximum);
        return keccak256(bytes(value));
    }
}
