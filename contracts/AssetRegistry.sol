// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

import {IAssetRegistry} from "./interfaces/IAssetRegistry.sol";

/// @title AssetRegistry
/// @notice See {IAssetRegistry}.
contract AssetRegistry is IAssetRegistry, EIP712 {
    bytes32 private constant _ASSET_TYPEHASH = keccak256(
        "Asset(address author,bytes32 salt,string name,string data,string fileName,string fileType,"
        "string fileSize,string method,string hash,string uri)"
    );

    mapping(bytes32 id => AssetRecord record) private _assets;
    mapping(bytes32 parent => mapping(bytes32 child => LinkRecord record)) private _links;

    constructor() EIP712("Asset Registry", "1") {}

    /// @inheritdoc IAssetRegistry
    function createAsset(bytes32 salt, AssetDetails calldata details) external returns (bytes32 id) {
        if (bytes(details.name).length == 0) revert AssetNameEmpty();

        id = _assetId(msg.sender, salt, details);
        if (_exists(id)) revert AssetExists(id);

        _assets[id] = AssetRecord({author: msg.sender, createdOn: uint48(block.timestamp)});
        emit AssetCreated(id, msg.sender, salt, details);
    }

    /// @inheritdoc IAssetRegistry
    function link(bytes32 parent, bytes32[] calldata children) external {
        _requireAuthor(parent);
        if (children.length == 0) revert NoChildren(parent);

        for (uint256 i = 0; i < children.length; ++i) {
            bytes32 child = children[i];
            if (child == parent) revert LinkToSelf(parent);
            if (!_exists(child)) revert AssetUnknown(child);

            LinkRecord storage record = _links[parent][child];
            if (_stands(record)) revert LinkStands(parent, child);

            // Begins anew: what an earlier revocation left behind is overwritten, the events remember it.
            _links[parent][child] = LinkRecord({addedOn: uint48(block.timestamp), revokedOn: 0});
            emit LinkAdded(parent, child);
        }
    }

    /// @inheritdoc IAssetRegistry
    function revokeLinks(bytes32 parent, bytes32[] calldata children) external {
        _requireAuthor(parent);
        if (children.length == 0) revert NoChildren(parent);

        for (uint256 i = 0; i < children.length; ++i) {
            bytes32 child = children[i];
            LinkRecord storage record = _links[parent][child];
            // Covers an unknown child and the parent itself too: no link to either can have been added.
            if (!_stands(record)) revert LinkDoesNotStand(parent, child);

            record.revokedOn = uint48(block.timestamp);
            emit LinkRevoked(parent, child);
        }
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

    // The sender and not the transaction's origin: a contract that an author calls must not act for the author.
    function _requireAuthor(bytes32 parent) private view {
        address author = _assets[parent].author;
        if (author == address(0)) revert AssetUnknown(parent);
        if (author != msg.sender) revert NotAuthor(parent, author, msg.sender);
    }

    function _exists(bytes32 id) private view returns (bool) {
        return _assets[id].author != address(0);
    }

    function _stands(LinkRecord storage record) private view returns (bool) {
        return record.addedOn != 0 && record.revokedOn == 0;
    }

    // Each text is hashed by itself, so moving a letter from one field to the next gives another id.
    function _assetId(
        address author,
        bytes32 salt,
        AssetDetails calldata details
    ) private view returns (bytes32) {
        bytes32 structHash = keccak256(
            abi.encode(
                _ASSET_TYPEHASH,
                author,
                salt,
                keccak256(bytes(details.name)),
                keccak256(bytes(details.data)),
                keccak256(bytes(details.fileName)),
                keccak256(bytes(details.fileType)),
                keccak256(bytes(details.fileSize)),
                keccak256(bytes(details.method)),
                keccak256(bytes(details.hash)),
                keccak256(bytes(details.uri))
            )
        );
        return _hashTypedDataV4(structHash);
    }
}
